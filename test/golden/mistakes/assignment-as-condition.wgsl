fn f() {
  var a = 1;
  if (a = 1) { }
}
