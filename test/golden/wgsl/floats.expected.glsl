#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct modf_result_vec3_f32_t1 {
  vec3 fract_m0;
  vec3 whole_m1;
};
struct frexp_result_vec3_f32_t1 {
  vec3 fract_m0;
  ivec3 exp_m1;
};
layout(std430, set = 0, binding = 0) buffer f_t2 {
  vec3[] f_1;
};
layout(std430, set = 0, binding = 1) buffer i_t2 {
  ivec3[] i_1;
};
float kem_quantize_to_f16(const float a) {
  return unpackHalf2x16(packHalf2x16(vec2(a, 0.0))).x;
}
vec3 kem_quantize_to_f16(const vec3 a) {
  return vec3(kem_quantize_to_f16(a.x), kem_quantize_to_f16(a.y), kem_quantize_to_f16(a.z));
}
float kem_smoothstep(const float a, const float b, const float c) {
  float t = min(max((c - a) / (b - a), 0.0), 1.0);
  return t * t * (3.0 - 2.0 * t);
}
vec3 kem_smoothstep(const vec3 a, const vec3 b, const vec3 c) {
  return vec3(kem_smoothstep(a.x, b.x, c.x), kem_smoothstep(a.y, b.y, c.y), kem_smoothstep(a.z, b.z, c.z));
}
void main() {
  vec3 a_1 = f_1[0];
  vec3 b_1 = f_1[min(1u, uint(f_1.length()) - 1u)];
  f_1[min(2u, uint(f_1.length()) - 1u)] = (((((acos(a_1) + acosh(a_1)) + asin(a_1)) + asinh(a_1)) + atan(a_1)) + atanh(a_1)) + atan(a_1, b_1);
  f_1[min(3u, uint(f_1.length()) - 1u)] = (((ceil(a_1) + floor(a_1)) + trunc(a_1)) + roundEven(a_1)) + (a_1 - floor(a_1));
  f_1[min(4u, uint(f_1.length()) - 1u)] = ((((cos(a_1) + cosh(a_1)) + sin(a_1)) + sinh(a_1)) + tan(a_1)) + tanh(a_1);
  f_1[min(5u, uint(f_1.length()) - 1u)] = (((((exp(a_1) + exp2(a_1)) + log(a_1)) + log2(a_1)) + pow(a_1, b_1)) + sqrt(a_1)) + inversesqrt(a_1);
  vec3 v_1 = f_1[min(3u, uint(f_1.length()) - 1u)];
  vec3 v_2 = ((((min(max(a_1, b_1), f_1[min(2u, uint(f_1.length()) - 1u)]) + min(max(a_1, vec3(0.0, 0.0, 0.0)), vec3(1.0, 1.0, 1.0))) + ((a_1 * (1.0 - 0.25)) + (b_1 * 0.25))) + ((a_1 * (vec3(1.0, 1.0, 1.0) - v_1)) + (b_1 * v_1))) + kem_smoothstep(a_1, b_1, f_1[min(2u, uint(f_1.length()) - 1u)])) + step(a_1, b_1);
  f_1[min(6u, uint(f_1.length()) - 1u)] = v_2;
  f_1[min(7u, uint(f_1.length()) - 1u)] = (((cross(a_1, b_1) + normalize(a_1)) + reflect(a_1, b_1)) + refract(a_1, b_1, 1.5)) + faceforward(a_1, b_1, f_1[min(2u, uint(f_1.length()) - 1u)]);
  f_1[min(8u, uint(f_1.length()) - 1u)] = vec3(length(a_1), length(a_1 - b_1), dot(a_1, b_1));
  f_1[min(9u, uint(f_1.length()) - 1u)] = (vec3(abs(a_1.x), abs(a_1.x - b_1.x), fma(a_1.x, b_1.x, a_1.y)) + degrees(a_1)) + radians(b_1);
  f_1[min(10u, uint(f_1.length()) - 1u)] = ((((abs(a_1) + sign(a_1)) + min(a_1, b_1)) + max(a_1, b_1)) + kem_quantize_to_f16(a_1)) + ldexp(a_1, i_1[0]);
  vec3 v_3 = trunc(a_1);
  modf_result_vec3_f32_t1 m_1 = modf_result_vec3_f32_t1(a_1 - v_3, v_3);
  f_1[min(11u, uint(f_1.length()) - 1u)] = m_1.fract_m0 + m_1.whole_m1;
  ivec3 exponent_1 = ivec3(0);
  vec3 v_4 = frexp(b_1, exponent_1);
  frexp_result_vec3_f32_t1 x_1 = frexp_result_vec3_f32_t1(v_4, exponent_1);
  f_1[min(12u, uint(f_1.length()) - 1u)] = x_1.fract_m0;
  i_1[min(1u, uint(i_1.length()) - 1u)] = x_1.exp_m1;
}
