fn f() {
  let s = "hello";
}
