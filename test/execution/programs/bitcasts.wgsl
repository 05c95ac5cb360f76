//! expect: 1073741824 -1 2 -1 3 -5
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  let z = output[0];
  output[0] = bitcast<u32>(bitcast<f32>(z + 0x3f800000u) + 1.0);
  output[1] = bitcast<u32>(bitcast<i32>(z - 1u) >> 4u);
  let v = bitcast<vec2<f32>>(vec2<i32>(0x40000000, 0));
  output[2] = u32(v.x);
  output[3] = bitcast<vec2<u32>>(vec2(-1i, 2i)).x;
  const c = bitcast<f32>(0x40400000);
  output[4] = u32(c);
  output[5] = bitcast<u32>(-5);
}
