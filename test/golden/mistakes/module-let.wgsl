let N = 4;
