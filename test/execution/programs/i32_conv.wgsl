//! expect: -1 -1294967296 2147483520 0 1333788672 0 -822083584
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  let f = bitcast<f32>(output[0]);
  output[1] = u32(f + 3e9);
  output[0] = bitcast<u32>(i32(f - 1.9));
  output[2] = bitcast<u32>(i32(f + 1e20));
  output[3] = u32(f - 5.0);
  output[4] = bitcast<u32>(f32(u32(output[5]) - 1u));
  output[5] = u32(bool(f)) + u32(!bool(f + 2.0)) ;
  output[6] = bitcast<u32>(f32(i32(output[6] + 0x80000000u)));
}
