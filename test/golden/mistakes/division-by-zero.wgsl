fn f(a: i32) {
  let b = a / 0;
}
