fn f(x: f32) {
  let a = x as i32;
}
