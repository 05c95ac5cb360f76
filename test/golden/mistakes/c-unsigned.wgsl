fn f() {
  let x: unsigned = 1;
}
