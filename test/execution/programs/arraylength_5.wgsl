//! buffer 2: 25 zeros
//! buffer 3: 22 zeros
//! buffer 4: 71 zeros
//! expect: 5 5 5 5
struct E { a: vec3<f32>, b: u32 }

struct S { n: vec4<u32>, e: array<E> }
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read> a: S;
@group(0) @binding(3) var<storage, read> b: array<vec3<u32>>;
@group(0) @binding(4) var<storage, read_write> c: array<mat3x3<f32>>;

@compute @workgroup_size(1) fn main() {
  output[0] = arrayLength(&a.e);
  output[1] = arrayLength(&b);
  output[2] = arrayLength(&c);
  let p = &a.e;
  output[3] = arrayLength(p);
}
