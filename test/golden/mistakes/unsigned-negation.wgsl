fn f(a: u32) {
  let b = -a;
}
