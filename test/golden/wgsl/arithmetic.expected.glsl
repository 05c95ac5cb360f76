#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer i_t2 {
  ivec4[] i_1;
};
layout(std430, set = 0, binding = 1) buffer u_t2 {
  uvec4[] u_1;
};
layout(std430, set = 0, binding = 2) buffer f_t2 {
  vec4[] f_1;
};
int kem_divide(const int a, const int b) {
  return a / (b == 0 || (a == (-2147483647 - 1) && b == -1) ? 1 : b);
}
ivec4 kem_divide(const ivec4 a, const ivec4 b) {
  return ivec4(kem_divide(a.x, b.x), kem_divide(a.y, b.y), kem_divide(a.z, b.z), kem_divide(a.w, b.w));
}
uint kem_divide(const uint a, const uint b) {
  return a / (b == 0u ? 1u : b);
}
uvec4 kem_divide(const uvec4 a, const uvec4 b) {
  return uvec4(kem_divide(a.x, b.x), kem_divide(a.y, b.y), kem_divide(a.z, b.z), kem_divide(a.w, b.w));
}
int kem_remainder(const int a, const int b) {
  int d = b == 0 || (a == (-2147483647 - 1) && b == -1) ? 1 : b;
  return a - a / d * d;
}
ivec4 kem_remainder(const ivec4 a, const ivec4 b) {
  return ivec4(kem_remainder(a.x, b.x), kem_remainder(a.y, b.y), kem_remainder(a.z, b.z), kem_remainder(a.w, b.w));
}
uint kem_remainder(const uint a, const uint b) {
  return a % (b == 0u ? 1u : b);
}
uvec4 kem_remainder(const uvec4 a, const uvec4 b) {
  return uvec4(kem_remainder(a.x, b.x), kem_remainder(a.y, b.y), kem_remainder(a.z, b.z), kem_remainder(a.w, b.w));
}
float kem_remainder(const float a, const float b) {
  return a - b * trunc(a / b);
}
vec4 kem_remainder(const vec4 a, const vec4 b) {
  return vec4(kem_remainder(a.x, b.x), kem_remainder(a.y, b.y), kem_remainder(a.z, b.z), kem_remainder(a.w, b.w));
}
void main() {
  ivec4 a_1 = i_1[0];
  ivec4 b_1 = i_1[min(1u, uint(i_1.length()) - 1u)];
  i_1[min(2u, uint(i_1.length()) - 1u)] = kem_divide(a_1, b_1);
  i_1[min(3u, uint(i_1.length()) - 1u)] = kem_remainder(a_1, b_1);
  int v_1 = a_1.y;
  int v_2 = a_1.w;
  i_1[min(4u, uint(i_1.length()) - 1u)] = ivec4(a_1.x / 7, v_1 - ((v_1 / 7) * 7), kem_divide(a_1.z, -1), v_2 - ((v_2 / (-3)) * (-3)));
  i_1[min(5u, uint(i_1.length()) - 1u)] = kem_divide(a_1, ivec4(b_1.x)) + kem_remainder(ivec4(b_1.y), a_1);
  i_1[min(6u, uint(i_1.length()) - 1u)] = (a_1 << (u_1[min(1u, uint(u_1.length()) - 1u)] & uvec4(31u, 31u, 31u, 31u))) | (b_1 >> (u_1[min(2u, uint(u_1.length()) - 1u)] & uvec4(31u, 31u, 31u, 31u)));
  i_1[min(7u, uint(i_1.length()) - 1u)] = ivec4(a_1.x << 3u, a_1.y >> 31u, a_1.z << (u_1[0].x & 31u), -a_1.w);
  u_1[min(3u, uint(u_1.length()) - 1u)] = kem_divide(u_1[0], u_1[min(1u, uint(u_1.length()) - 1u)]);
  u_1[min(4u, uint(u_1.length()) - 1u)] = kem_remainder(u_1[0], u_1[min(1u, uint(u_1.length()) - 1u)]);
  u_1[min(5u, uint(u_1.length()) - 1u)] = uvec4(u_1[0].x / 10u, u_1[0].y % 10u, u_1[0].z >> 1u, ~u_1[0].w);
  f_1[min(2u, uint(f_1.length()) - 1u)] = kem_remainder(f_1[0], f_1[min(1u, uint(f_1.length()) - 1u)]);
  f_1[min(3u, uint(f_1.length()) - 1u)] = vec4(kem_remainder(f_1[0].x, 2.5), f_1[0].y / f_1[min(1u, uint(f_1.length()) - 1u)].y, -f_1[0].z, -2.14748365e+09);
  i_1[min(8u, uint(i_1.length()) - 1u)] = ivec4((-2147483647 - 1), 2147483647, -1, 0);
}
