fn f(a: i32) {
  if (a) { }
  while (1) { }
}
