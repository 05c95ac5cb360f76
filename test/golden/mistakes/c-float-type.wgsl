fn f() {
  let x: float = 1.0;
}
