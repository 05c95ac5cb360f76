fn f() {
  let n = sizeof(i32);
}
