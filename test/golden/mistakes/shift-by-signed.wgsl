fn f(a: u32, b: i32) {
  let c = a << b;
}
