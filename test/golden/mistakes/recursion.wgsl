fn f(n: u32) -> u32 {
  if n == 0 {
    return 1;
  }
  return n * f(n - 1);
}
