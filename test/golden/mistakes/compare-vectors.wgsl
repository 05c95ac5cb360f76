fn f(a: vec3f, b: vec3f) {
  if (a == b) { }
}
