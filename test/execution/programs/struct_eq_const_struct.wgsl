//! expect: 3 3 3 0 0 0
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
struct S { a: u32, b: array<f32,2>, m: mat2x2<f32> }
const s = S(3u, array(1.5, 2.5), mat2x2(1,2,3,4));
const t = array(s, S());

@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 2u; i++) {
    let x = t[i];
    output[i*3u] = x.a;
    output[i*3u+1u] = u32(x.b[i]*2.0);
    output[i*3u+2u] = u32(x.m[1][i]);
  }
}
