fn f() {
  let v: vec3 = vec3(1.0);
  let w = ivec2(1, 2);
}
