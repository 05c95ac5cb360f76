//! expect: 75 3 2 93750 9
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  let x = bitcast<f32>(output[4]) + 3.75;
  let m = modf(x);
  output[0] = u32(m.fract * 100.0);
  output[1] = u32(m.whole);
  let f = frexp(vec2(x, -x));
  output[2] = bitcast<u32>(f.exp.y);
  output[3] = u32(-f.fract.y * 100000.0);
  var k = f;
  k.exp.x = 9;
  output[4] = u32(k.exp.x);
}
