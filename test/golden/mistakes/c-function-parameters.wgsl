fn add(int a, int b) -> i32 {
  return a + b;
}
