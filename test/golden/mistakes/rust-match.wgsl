fn f(x: i32) {
  match x {
  }
}
