#define N 4
fn f() {}
