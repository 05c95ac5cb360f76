fn f() {
  do {
  } while (true);
}
