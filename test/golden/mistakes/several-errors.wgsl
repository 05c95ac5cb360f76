fn f(a: i32) {
  let x: u32 = a;
  let y = b;
  a = 1;
  return 2;
}
