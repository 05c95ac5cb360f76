fn f(a: bool, b: bool) {
  if (a and b) { }
}
