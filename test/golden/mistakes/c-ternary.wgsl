fn f(a: bool) {
  let x = a ? 1 : 2;
}
