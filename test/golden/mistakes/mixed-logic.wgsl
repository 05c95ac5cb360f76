fn f(a: bool, b: bool, c: bool) {
  let d = a && b || c;
}
