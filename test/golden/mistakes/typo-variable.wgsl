fn f(count: i32) {
  let a = coutn + 1;
}
