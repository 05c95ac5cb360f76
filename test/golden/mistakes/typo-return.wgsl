fn f() -> i32 {
  retrun 1;
}
