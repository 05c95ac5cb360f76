fn f(n: u32) {
  var a: array<u32, n>;
}
