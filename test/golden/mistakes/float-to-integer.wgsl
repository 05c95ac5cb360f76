fn f() {
  let a: i32 = 1.5;
}
