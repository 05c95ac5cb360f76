// Division, remainder and shifts are defined for every operand.
@group(0) @binding(0) var<storage, read_write> i: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> u: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> f: array<vec4<f32>>;

@compute @workgroup_size(1)
fn main() {
  let a = i[0];
  let b = i[1];
  i[2] = a / b;
  i[3] = a % b;
  i[4] = vec4(a.x / 7, a.y % 7, a.z / -1, a.w % -3);
  i[5] = a / b.x + (b.y % a);
  i[6] = (a << u[1]) | (b >> u[2]);
  i[7] = vec4(a.x << 3, a.y >> 31, a.z << u[0].x, -a.w);
  u[3] = u[0] / u[1];
  u[4] = u[0] % u[1];
  u[5] = vec4(u[0].x / 10, u[0].y % 10, u[0].z >> 1, ~u[0].w);
  f[2] = f[0] % f[1];
  f[3] = vec4(f[0].x % 2.5, f[0].y / f[1].y, -f[0].z, -2147483648);
  i[8] = vec4(-2147483648, 2147483647, -1, 0);
}
