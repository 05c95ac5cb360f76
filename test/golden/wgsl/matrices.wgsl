@group(0) @binding(0) var<storage, read_write> m: array<mat3x3<f32>>;
@group(0) @binding(1) var<storage, read_write> n: mat2x4<f32>;
@group(0) @binding(2) var<storage, read_write> v: vec3<f32>;

@compute @workgroup_size(1)
fn main() {
  m[0] = m[1] * m[2] + transpose(m[1]) - m[2] * 2;
  v = m[0] * v + v * m[1];
  n[1] = vec4(determinant(m[0]));
  n[0].z = (transpose(n) * n)[1].x;
  let r = mat2x2(n[0].xy, n[1].zw) * mat2x2(1, 2, 3, 4);
  n = mat2x4(vec4(r[0], r[1]), vec4(r[1].yx, r[0].yx));
  v = v.zxy;
}
