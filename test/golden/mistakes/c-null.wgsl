fn f() {
  let p = null;
}
