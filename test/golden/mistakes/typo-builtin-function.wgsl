fn f(v: vec3f) {
  let a = normalise(v);
  let b = atomicLod(v);
  let c = lenght(v);
}
