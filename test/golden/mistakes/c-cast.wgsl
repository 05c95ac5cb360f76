fn f(x: f32) {
  let a = (i32)x;
}
