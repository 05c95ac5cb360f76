//! buffer 0: -5 4294967280
//! expect: 1 0 0 1 6 5
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
struct S { a: array<u32, 3>, m: mat3x2<f32>, v: vec4<u32> }
var<private> p: S;
var<workgroup> w: S;

fn fetch(a: array<u32,3>, i: i32) -> u32 { return a[i]; }

fn vec(v: vec3<u32>, i: u32) -> u32 { return v[i]; }

@compute @workgroup_size(1) fn main() {
  let i = i32(input[0]);
  let u = input[1];
  var n = 0u;
  var f = S(array(1u,2u,3u), mat3x2<f32>(1,2,3,4,5,6), vec4(1u,2u,3u,4u));
  p = f;
  w = f;
  f.a[i] = 50u;
  f.a[u] = 51u;
  f.v[i] = 7u;
  f.m[u][i] = 9.0;
  p.a[u] = 1u;
  w.v[u] = 1u;
  var ok = 1u;
  let x = fetch(f.a, i);
  if !(x == f.a[0] || x == f.a[1] || x == f.a[2] || x == 0u) { ok = 0u; }
  let y = vec(vec3(4u,5u,6u), u);
  if !(y == 0u || (y >= 4u && y <= 6u)) { ok = 0u; }
  output[0] = ok;
  output[1] = input[u] & 0u;
  output[u] = 5u;
  output[2] = f.a[0] & 0u;
  let k = array(1,2,3)[i];
  output[3] = u32(k != 77);
  output[4] = arrayLength(&output);
}
