fn f() {
  var a[4]: i32;
}
