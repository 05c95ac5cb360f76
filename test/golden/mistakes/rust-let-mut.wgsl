fn f() {
  let mut x = 1;
}
