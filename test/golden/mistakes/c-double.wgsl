fn f() {
  let x: double = 1.0;
}
