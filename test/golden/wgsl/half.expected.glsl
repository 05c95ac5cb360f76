#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Halves_t1 {
  float16_t a_m0;
  f16vec3 b_m1;
  f16mat2x3 m_m2;
  float16_t c_m3;
  float16_t d_m4;
  uint kem_pad0;
  float16_t e_m5;
};
struct Halves_t2 {
  float16_t a_m0;
  f16vec3 b_m1;
  f16mat2x3 m_m2;
  float16_t c_m3;
  float16_t d_m4;
  float16_t e_m5;
};
layout(std430, set = 0, binding = 0) buffer h_t2 {
  Halves_t1[] h_1;
};
layout(std430, set = 0, binding = 1) buffer u_t2 {
  uvec2[] u_1;
};
float16_t kem_remainder(const float16_t a, const float16_t b) {
  return a - b * trunc(a / b);
}
f16vec3 kem_remainder(const f16vec3 a, const f16vec3 b) {
  return f16vec3(kem_remainder(a.x, b.x), kem_remainder(a.y, b.y), kem_remainder(a.z, b.z));
}
int kem_to_i32(const float16_t a) {
  return int(min(max(float(a), -65504.0), 65504.0));
}
uint kem_to_u32(const float16_t a) {
  return uint(min(max(float(a), 0.0), 65504.0));
}
float16_t kem_smoothstep(const float16_t a, const float16_t b, const float16_t c) {
  float16_t t = min(max((c - a) / (b - a), 0.0hf), 1.0hf);
  return t * t * (3.0hf - 2.0hf * t);
}
f16vec3 kem_smoothstep(const f16vec3 a, const f16vec3 b, const f16vec3 c) {
  return f16vec3(kem_smoothstep(a.x, b.x, c.x), kem_smoothstep(a.y, b.y, c.y), kem_smoothstep(a.z, b.z, c.z));
}
void main() {
  Halves_t2 x_1 = Halves_t2(h_1[0].a_m0, h_1[0].b_m1, h_1[0].m_m2, h_1[0].c_m3, h_1[0].d_m4, h_1[0].e_m5);
  h_1[min(1u, uint(h_1.length()) - 1u)].b_m1 = ((x_1.b_m1 * x_1.a_m0) + kem_remainder(sqrt(x_1.b_m1), f16vec3(2.5hf, 2.5hf, 2.5hf))) + f16vec3(vec3(x_1.b_m1));
  uint v_1 = min(1u, uint(h_1.length()) - 1u);
  h_1[v_1].a_m0 = x_1.a_m0;
  h_1[v_1].b_m1 = x_1.b_m1;
  h_1[v_1].m_m2 = x_1.m_m2;
  h_1[v_1].c_m3 = x_1.c_m3;
  h_1[v_1].d_m4 = x_1.d_m4;
  h_1[v_1].e_m5 = x_1.e_m5;
  f16vec4 v_2 = f16vec4(x_1.b_m1, 1.0hf);
  u_1[0] = uvec2(packFloat2x16(v_2.xy), packFloat2x16(v_2.zw));
  u_1[min(1u, uint(u_1.length()) - 1u)] = uvec2(kem_to_u32(x_1.c_m3), packFloat2x16(x_1.b_m1.xy));
  uvec2 v_3 = u_1[min(2u, uint(u_1.length()) - 1u)];
  h_1[min(2u, uint(h_1.length()) - 1u)].b_m1 = f16vec4(unpackFloat2x16(v_3.x), unpackFloat2x16(v_3.y)).xyz + kem_smoothstep(x_1.b_m1, h_1[min(1u, uint(h_1.length()) - 1u)].b_m1, f16vec3(65504.0hf, 65504.0hf, 65504.0hf));
  h_1[min(2u, uint(h_1.length()) - 1u)].m_m2 = h_1[min(1u, uint(h_1.length()) - 1u)].m_m2 * 2.0hf;
  u_1[min(3u, uint(u_1.length()) - 1u)].x = uint(kem_to_i32(x_1.d_m4));
}
