//! buffer 2: 24 zeros
//! buffer 3: 0 0 0 0 0 0 0 0 0 0 0 0 1065353216 1069547520 1073741824 1075838976 1077936128 1080033280 1082130432 1083179008 1084227584 1085276160 1086324736 1087373312
//! expect: 12 5 35 8 30 0
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> m: array<mat3x4<f32>, 2>;
@group(0) @binding(3) var<uniform> u: array<mat3x3<f32>, 2>;

@compute @workgroup_size(1) fn main() {
  let i = output[0] + 1u;
  m[i][2] = vec4(1.0,2.0,3.0,4.0);
  m[0][i][i+1u] = 5.0;
  m[0][2] = m[i][i+1u] * 2.0;
  m[i][1] += vec4(1.0);
  output[0] = u32(m[0][2].w + m[1][2][3]);
  output[1] = u32(m[0][1][2]);
  output[2] = u32(u[i][i].y * 10.0);
  let c = m[0];
  m[1] = c;
  output[3] = u32(m[1][2].w);
  let t = transpose(u[1]) * vec3(1.0, 0.0, 0.0);
  output[4] = u32(t.y*10.0);
  output[5] = u32(m[1][1][1] * 10.0 + 0.5);
}
