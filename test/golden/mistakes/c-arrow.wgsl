struct S { a: i32 }
fn f(p: ptr<function, S>) {
  p->a = 1;
}
