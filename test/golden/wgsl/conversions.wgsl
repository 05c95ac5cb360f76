// Float to integer saturates; bitcasts keep the bits.
@group(0) @binding(0) var<storage, read_write> i: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> u: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> f: array<vec4<f32>>;

@compute @workgroup_size(1)
fn main() {
  i[0] = vec4<i32>(f[0]);
  u[0] = vec4<u32>(f[0]);
  i[1] = vec4(i32(f[0].x), i32(u[1].x), i32(u[1].y > 3), i32(true));
  u[1] = vec4(u32(f[0].x), u32(i[1].x), u32(bool(i[1].y)), select(1u, 2u, bool(f[0].y)));
  f[1] = vec4<f32>(i[2]) + vec4<f32>(u[2]) + vec4<f32>(u[3] < u[4]);
  i[3] = bitcast<vec4<i32>>(f[2]);
  u[3] = bitcast<vec4<u32>>(f[2]) + bitcast<vec4<u32>>(i[2]);
  f[3] = bitcast<vec4<f32>>(u[2]) + bitcast<vec4<f32>>(i[2]);
}
