fn f() {
  int x = 0;
}
