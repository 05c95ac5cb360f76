fn f() {
  let x: i64 = 1;
}
