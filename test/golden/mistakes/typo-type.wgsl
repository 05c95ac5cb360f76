fn f() {
  let a: vec3ff = vec3f();
  let b: u23 = 1;
}
