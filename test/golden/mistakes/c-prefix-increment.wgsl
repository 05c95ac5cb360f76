fn f() {
  var i = 0;
  ++i;
}
