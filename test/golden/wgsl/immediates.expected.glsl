#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 4, local_size_y = 1, local_size_z = 1) in;
struct Inner_t1 {
  float a_m0;
  uvec3 b_m1;
};
struct Immediates_t1 {
  float scale_m0;
  float16_t h_m1;
  mat2x2 m_m2;
  uint n_m3;
  Inner_t1 inner_m4;
};
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
  Immediates_t1 immediate;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer out_t2 {
  float[] out_1;
};
uint first_2(const uint i_1) {
  return kem_dispatch.immediate.inner_m4.b_m1[min(i_1, 2u)] + kem_dispatch.immediate.inner_m4.b_m1.z;
}
void main() {
  uvec3 id_1 = ((kem_dispatch.base.xyz + gl_WorkGroupID) * uvec3(4u, 1u, 1u)) + gl_LocalInvocationID;
  Immediates_t1 whole_1 = kem_dispatch.immediate;
  out_1[min(id_1.x, uint(out_1.length()) - 1u)] = ((whole_1.scale_m0 * float(kem_dispatch.immediate.h_m1)) + kem_dispatch.immediate.m_m2[min(id_1.x, 1u)][id_1.x % 2u]) + float(first_2(id_1.x));
  uint v_1 = min(id_1.x, uint(out_1.length()) - 1u);
  out_1[v_1] = out_1[v_1] + (whole_1.inner_m4.a_m0 + float(whole_1.n_m3));
}
