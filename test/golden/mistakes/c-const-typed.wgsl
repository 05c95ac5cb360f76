const int N = 4;
