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
int kem_to_i32(const float a) {
  return int(min(max(a, -2147483648.0), 2147483520.0));
}
ivec4 kem_to_i32(const vec4 a) {
  return ivec4(kem_to_i32(a.x), kem_to_i32(a.y), kem_to_i32(a.z), kem_to_i32(a.w));
}
uint kem_to_u32(const float a) {
  return uint(min(max(a, 0.0), 4294967040.0));
}
uvec4 kem_to_u32(const vec4 a) {
  return uvec4(kem_to_u32(a.x), kem_to_u32(a.y), kem_to_u32(a.z), kem_to_u32(a.w));
}
void main() {
  i_1[0] = kem_to_i32(f_1[0]);
  u_1[0] = kem_to_u32(f_1[0]);
  i_1[min(1u, uint(i_1.length()) - 1u)] = ivec4(kem_to_i32(f_1[0].x), int(u_1[min(1u, uint(u_1.length()) - 1u)].x), int(u_1[min(1u, uint(u_1.length()) - 1u)].y > 3u), 1);
  u_1[min(1u, uint(u_1.length()) - 1u)] = uvec4(kem_to_u32(f_1[0].x), uint(i_1[min(1u, uint(i_1.length()) - 1u)].x), uint(bool(i_1[min(1u, uint(i_1.length()) - 1u)].y)), bool(f_1[0].y) ? 2u : 1u);
  f_1[min(1u, uint(f_1.length()) - 1u)] = (vec4(i_1[min(2u, uint(i_1.length()) - 1u)]) + vec4(u_1[min(2u, uint(u_1.length()) - 1u)])) + vec4(lessThan(u_1[min(3u, uint(u_1.length()) - 1u)], u_1[min(4u, uint(u_1.length()) - 1u)]));
  i_1[min(3u, uint(i_1.length()) - 1u)] = floatBitsToInt(f_1[min(2u, uint(f_1.length()) - 1u)]);
  u_1[min(3u, uint(u_1.length()) - 1u)] = floatBitsToUint(f_1[min(2u, uint(f_1.length()) - 1u)]) + uvec4(i_1[min(2u, uint(i_1.length()) - 1u)]);
  f_1[min(3u, uint(f_1.length()) - 1u)] = uintBitsToFloat(u_1[min(2u, uint(u_1.length()) - 1u)]) + intBitsToFloat(i_1[min(2u, uint(i_1.length()) - 1u)]);
}
