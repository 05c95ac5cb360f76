struct S {
  float a;
}
