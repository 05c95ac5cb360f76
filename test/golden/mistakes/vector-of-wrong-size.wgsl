fn f() {
  let a = vec3f(1, 2);
}
