//! expect: 1 1 1 1
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
struct S { a: vec3<f32>, b: array<i32, 3>, c: bool, m: mat2x3<f32> }
var<private> p: S;
var<workgroup> w: array<S, 3>;

fn sum(s: S) -> u32 {
  return u32(s.a.x+s.a.y+s.a.z) + u32(s.b[0]+s.b[1]+s.b[2]) + select(0u,1u,s.c) + u32(s.m[0].x + s.m[1].z);
}

fn fill(s: ptr<function, S>) {
  (*s).a = vec3(1.0);
  (*s).b[1] = 7;
  (*s).c = true;
  (*s).m[1] = vec3(2.0);
}

@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  var t = 0u;
  for (var k = 0; k < 3; k++) {
    var s: S;
    t += sum(s);
    fill(&s);
    t += 1000u * select(0u, 1u, sum(s) != 13u);
  }
  for (var k = 0u; k < 3u; k++) { t += sum(w[k]); }
  t += sum(p);
  workgroupBarrier();
  output[i] = t + 1u;
}
