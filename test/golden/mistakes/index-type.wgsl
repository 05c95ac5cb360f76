fn f(i: f32) {
  var a = array(1, 2, 3);
  a[i] = 1;
}
