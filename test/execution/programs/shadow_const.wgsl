//! expect: 15 2
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
const a = 5;

fn f() -> i32 {
  const a = a * 2;
  return a;
}

@compute @workgroup_size(1) fn main() {
  output[0] = u32(f() + a);
  let a = vec2(1u, 2u);
  output[1] = a.y;
}
