fn f() {
  let a = 1.5h;
}
