fn f() {
  float x = 1.0;
}
