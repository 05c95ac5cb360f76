fn f() {
  for i in 0..4 {
  }
}
