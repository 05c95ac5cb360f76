fn f(a: i32, b: u32) {
  let c = a + b;
}
