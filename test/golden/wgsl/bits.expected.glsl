#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer i_t2 {
  ivec3[] i_1;
};
layout(std430, set = 0, binding = 1) buffer u_t2 {
  uvec3[] u_1;
};
int kem_count_leading_zeros(const int a) {
  return 31 - findMSB(uint(a));
}
ivec3 kem_count_leading_zeros(const ivec3 a) {
  return ivec3(kem_count_leading_zeros(a.x), kem_count_leading_zeros(a.y), kem_count_leading_zeros(a.z));
}
uint kem_count_leading_zeros(const uint a) {
  return uint(31 - findMSB(a));
}
uvec3 kem_count_leading_zeros(const uvec3 a) {
  return uvec3(kem_count_leading_zeros(a.x), kem_count_leading_zeros(a.y), kem_count_leading_zeros(a.z));
}
int kem_count_one_bits(const int a) {
  return bitCount(a);
}
ivec3 kem_count_one_bits(const ivec3 a) {
  return ivec3(kem_count_one_bits(a.x), kem_count_one_bits(a.y), kem_count_one_bits(a.z));
}
uint kem_count_one_bits(const uint a) {
  return uint(bitCount(a));
}
uvec3 kem_count_one_bits(const uvec3 a) {
  return uvec3(kem_count_one_bits(a.x), kem_count_one_bits(a.y), kem_count_one_bits(a.z));
}
int kem_count_trailing_zeros(const int a) {
  return a == 0 ? 32 : findLSB(a);
}
ivec3 kem_count_trailing_zeros(const ivec3 a) {
  return ivec3(kem_count_trailing_zeros(a.x), kem_count_trailing_zeros(a.y), kem_count_trailing_zeros(a.z));
}
uint kem_count_trailing_zeros(const uint a) {
  return a == 0u ? 32u : uint(findLSB(a));
}
uvec3 kem_count_trailing_zeros(const uvec3 a) {
  return uvec3(kem_count_trailing_zeros(a.x), kem_count_trailing_zeros(a.y), kem_count_trailing_zeros(a.z));
}
int kem_first_leading_bit(const int a) {
  return findMSB(a);
}
ivec3 kem_first_leading_bit(const ivec3 a) {
  return ivec3(kem_first_leading_bit(a.x), kem_first_leading_bit(a.y), kem_first_leading_bit(a.z));
}
uint kem_first_leading_bit(const uint a) {
  return uint(findMSB(a));
}
uvec3 kem_first_leading_bit(const uvec3 a) {
  return uvec3(kem_first_leading_bit(a.x), kem_first_leading_bit(a.y), kem_first_leading_bit(a.z));
}
int kem_first_trailing_bit(const int a) {
  return findLSB(a);
}
ivec3 kem_first_trailing_bit(const ivec3 a) {
  return ivec3(kem_first_trailing_bit(a.x), kem_first_trailing_bit(a.y), kem_first_trailing_bit(a.z));
}
uint kem_first_trailing_bit(const uint a) {
  return uint(findLSB(a));
}
uvec3 kem_first_trailing_bit(const uvec3 a) {
  return uvec3(kem_first_trailing_bit(a.x), kem_first_trailing_bit(a.y), kem_first_trailing_bit(a.z));
}
int kem_extract_bits(const int a, const uint b, const uint c) {
  uint o = min(b, 32u);
  uint n = min(c, 32u - o);
  return n == 0u ? 0 : bitfieldExtract(a, int(min(o, 31u)), int(n));
}
ivec3 kem_extract_bits(const ivec3 a, const uint b, const uint c) {
  return ivec3(kem_extract_bits(a.x, b, c), kem_extract_bits(a.y, b, c), kem_extract_bits(a.z, b, c));
}
uint kem_extract_bits(const uint a, const uint b, const uint c) {
  uint o = min(b, 32u);
  uint n = min(c, 32u - o);
  return n == 0u ? 0u : bitfieldExtract(a, int(min(o, 31u)), int(n));
}
uvec3 kem_extract_bits(const uvec3 a, const uint b, const uint c) {
  return uvec3(kem_extract_bits(a.x, b, c), kem_extract_bits(a.y, b, c), kem_extract_bits(a.z, b, c));
}
int kem_insert_bits(const int a, const int b, const uint c, const uint d) {
  uint o = min(c, 32u);
  uint n = min(d, 32u - o);
  return n == 0u ? a : bitfieldInsert(a, b, int(min(o, 31u)), int(n));
}
ivec3 kem_insert_bits(const ivec3 a, const ivec3 b, const uint c, const uint d) {
  return ivec3(kem_insert_bits(a.x, b.x, c, d), kem_insert_bits(a.y, b.y, c, d), kem_insert_bits(a.z, b.z, c, d));
}
uint kem_insert_bits(const uint a, const uint b, const uint c, const uint d) {
  uint o = min(c, 32u);
  uint n = min(d, 32u - o);
  return n == 0u ? a : bitfieldInsert(a, b, int(min(o, 31u)), int(n));
}
uvec3 kem_insert_bits(const uvec3 a, const uvec3 b, const uint c, const uint d) {
  return uvec3(kem_insert_bits(a.x, b.x, c, d), kem_insert_bits(a.y, b.y, c, d), kem_insert_bits(a.z, b.z, c, d));
}
void main() {
  ivec3 a_1 = i_1[0];
  uvec3 b_1 = u_1[0];
  i_1[min(1u, uint(i_1.length()) - 1u)] = (kem_count_leading_zeros(a_1) + kem_count_trailing_zeros(a_1)) + kem_count_one_bits(a_1);
  u_1[min(1u, uint(u_1.length()) - 1u)] = (kem_count_leading_zeros(b_1) + kem_count_trailing_zeros(b_1)) + kem_count_one_bits(b_1);
  i_1[min(2u, uint(i_1.length()) - 1u)] = (kem_first_leading_bit(a_1) + kem_first_trailing_bit(a_1)) + bitfieldReverse(a_1);
  u_1[min(2u, uint(u_1.length()) - 1u)] = (kem_first_leading_bit(b_1) + kem_first_trailing_bit(b_1)) + bitfieldReverse(b_1);
  i_1[min(3u, uint(i_1.length()) - 1u)] = kem_extract_bits(a_1, b_1.x, b_1.y) + kem_insert_bits(a_1, i_1[min(2u, uint(i_1.length()) - 1u)], b_1.y, b_1.z);
  u_1[min(3u, uint(u_1.length()) - 1u)] = kem_extract_bits(b_1, b_1.x, b_1.y) + kem_insert_bits(b_1, u_1[min(2u, uint(u_1.length()) - 1u)], b_1.y, b_1.z);
  ivec3 v_1 = a_1 * i_1[min(2u, uint(i_1.length()) - 1u)];
  i_1[min(4u, uint(i_1.length()) - 1u)] = ivec3(kem_extract_bits(a_1.x, 4u, 8u), kem_insert_bits(a_1.x, a_1.y, 4u, 8u), (v_1.x + v_1.y) + v_1.z);
  ivec3 v_2 = (((abs(a_1) + sign(a_1)) + min(max(a_1, i_1[min(1u, uint(i_1.length()) - 1u)]), i_1[min(2u, uint(i_1.length()) - 1u)])) + min(a_1, i_1[min(3u, uint(i_1.length()) - 1u)])) + max(a_1, i_1[min(4u, uint(i_1.length()) - 1u)]);
  i_1[min(5u, uint(i_1.length()) - 1u)] = v_2;
  uvec3 v_3 = b_1 * b_1;
  u_1[min(4u, uint(u_1.length()) - 1u)] = (b_1 + min(max(b_1, u_1[min(1u, uint(u_1.length()) - 1u)]), u_1[min(2u, uint(u_1.length()) - 1u)])) + uvec3((v_3.x + v_3.y) + v_3.z);
}
