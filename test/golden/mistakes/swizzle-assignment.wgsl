fn f() {
  var v = vec3f();
  v.xy = vec2f(1, 2);
}
