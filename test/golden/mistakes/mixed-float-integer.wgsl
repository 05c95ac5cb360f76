fn f(a: f32, b: i32) {
  let c = a * b;
}
