#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer u_t2 {
  uint[32] u_1;
};
layout(std430, set = 0, binding = 1) buffer f_t2 {
  vec4[] f_1;
};
layout(std430, set = 0, binding = 2) buffer i_t2 {
  ivec4[] i_1;
};
uint kem_pack4x8snorm(const vec4 a) {
  uvec4 b = uvec4(ivec4(floor(0.5 + 127.0 * min(max(a, -1.0), 1.0)))) & 255u;
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
uint kem_pack4x8unorm(const vec4 a) {
  uvec4 b = uvec4(floor(0.5 + 255.0 * min(max(a, 0.0), 1.0)));
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
uint kem_pack2x16snorm(const vec2 a) {
  uvec2 b = uvec2(ivec2(floor(0.5 + 32767.0 * min(max(a, -1.0), 1.0)))) & 65535u;
  return b.x | b.y << 16;
}
uint kem_pack2x16unorm(const vec2 a) {
  uvec2 b = uvec2(floor(0.5 + 65535.0 * min(max(a, 0.0), 1.0)));
  return b.x | b.y << 16;
}
uint kem_pack4xI8(const ivec4 a) {
  uvec4 b = uvec4(a) & 255u;
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
uint kem_pack4xU8(const uvec4 a) {
  uvec4 b = a & 255u;
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
uint kem_pack4xI8Clamp(const ivec4 a) {
  uvec4 b = uvec4(min(max(a, -128), 127)) & 255u;
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
uint kem_pack4xU8Clamp(const uvec4 a) {
  uvec4 b = min(a, 255u);
  return b.x | b.y << 8 | b.z << 16 | b.w << 24;
}
ivec4 kem_unpack4xI8(const uint a) { return ivec4(uvec4(a << 24, a << 16, a << 8, a)) >> 24; }
uvec4 kem_unpack4xU8(const uint a) { return uvec4(a, a >> 8, a >> 16, a >> 24) & 255u; }
uint kem_dot4U8Packed(const uint a, const uint b) {
  uvec4 p = (uvec4(a, a >> 8, a >> 16, a >> 24) & 255u) * (uvec4(b, b >> 8, b >> 16, b >> 24) & 255u);
  return p.x + p.y + p.z + p.w;
}
int kem_dot4I8Packed(const uint a, const uint b) {
  ivec4 p = (ivec4(uvec4(a << 24, a << 16, a << 8, a)) >> 24) *
            (ivec4(uvec4(b << 24, b << 16, b << 8, b)) >> 24);
  return p.x + p.y + p.z + p.w;
}
void main() {
  u_1[0] = kem_pack4x8snorm(f_1[0]);
  u_1[1] = kem_pack4x8unorm(f_1[0]);
  u_1[2] = kem_pack2x16snorm(f_1[0].xy);
  u_1[3] = kem_pack2x16unorm(f_1[0].xy);
  u_1[4] = packHalf2x16(f_1[0].xy);
  u_1[5] = kem_pack4xI8(i_1[0]);
  u_1[6] = kem_pack4xI8Clamp(i_1[0]);
  u_1[7] = kem_pack4xU8(uvec4(i_1[0]));
  u_1[8] = kem_pack4xU8Clamp(uvec4(i_1[0]));
  u_1[9] = kem_dot4U8Packed(u_1[0], u_1[1]);
  u_1[10] = uint(kem_dot4I8Packed(u_1[0], u_1[1]));
  f_1[min(1u, uint(f_1.length()) - 1u)] = unpackSnorm4x8(u_1[16]) + unpackUnorm4x8(u_1[17]);
  f_1[min(2u, uint(f_1.length()) - 1u)] = vec4(unpackSnorm2x16(u_1[18]), unpackUnorm2x16(u_1[19]));
  f_1[min(3u, uint(f_1.length()) - 1u)] = vec4(unpackHalf2x16(u_1[20]), 0.0, 0.0);
  i_1[min(1u, uint(i_1.length()) - 1u)] = kem_unpack4xI8(u_1[21]) + ivec4(kem_unpack4xU8(u_1[22]));
}
