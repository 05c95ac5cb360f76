fn f() {
  if true {
    let a = 1;
}
