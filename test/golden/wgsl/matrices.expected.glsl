#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer m_t2 {
  mat3x3[] m_1;
};
layout(std430, set = 0, binding = 1) buffer n_t2 {
  mat2x4 n_1;
};
layout(std430, set = 0, binding = 2) buffer v_t2 {
  vec3 v_1;
};
void main() {
  m_1[0] = ((m_1[min(1u, uint(m_1.length()) - 1u)] * m_1[min(2u, uint(m_1.length()) - 1u)]) + transpose(m_1[min(1u, uint(m_1.length()) - 1u)])) - (m_1[min(2u, uint(m_1.length()) - 1u)] * 2.0);
  v_1 = (m_1[0] * v_1) + (v_1 * m_1[min(1u, uint(m_1.length()) - 1u)]);
  n_1[1] = vec4(determinant(m_1[0]));
  n_1[0].z = (transpose(n_1) * n_1)[1].x;
  mat2x2 r_1 = mat2x2(n_1[0].xy, n_1[1].zw) * mat2x2(vec2(1.0, 2.0), vec2(3.0, 4.0));
  n_1 = mat2x4(vec4(r_1[0], r_1[1]), vec4(r_1[1].yx, r_1[0].yx));
  v_1 = v_1.zxy;
}
