@group(0) @binding(0) var<storage, read_write> u: array<u32, 32>;
@group(0) @binding(1) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> i: array<vec4<i32>>;

@compute @workgroup_size(1)
fn main() {
  u[0] = pack4x8snorm(f[0]);
  u[1] = pack4x8unorm(f[0]);
  u[2] = pack2x16snorm(f[0].xy);
  u[3] = pack2x16unorm(f[0].xy);
  u[4] = pack2x16float(f[0].xy);
  u[5] = pack4xI8(i[0]);
  u[6] = pack4xI8Clamp(i[0]);
  u[7] = pack4xU8(vec4<u32>(i[0]));
  u[8] = pack4xU8Clamp(vec4<u32>(i[0]));
  u[9] = dot4U8Packed(u[0], u[1]);
  u[10] = u32(dot4I8Packed(u[0], u[1]));
  f[1] = unpack4x8snorm(u[16]) + unpack4x8unorm(u[17]);
  f[2] = vec4(unpack2x16snorm(u[18]), unpack2x16unorm(u[19]));
  f[3] = vec4(unpack2x16float(u[20]), 0, 0);
  i[1] = unpack4xI8(u[21]) + vec4<i32>(unpack4xU8(u[22]));
}
