fn f(p: ptr<function, i32>) {
  let a = p + 1;
}
