fn f(a: f32) {
  let x = mod(a, 2.0);
  let y = lerp(a, 1.0, 0.5);
}
