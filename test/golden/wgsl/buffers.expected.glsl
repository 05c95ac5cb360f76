#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Part_t1 {
  ivec3 flags_m0;
  float weight_m1;
  mat2x2 m_m2;
};
const uint[32] constant_1 = uint[32](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
layout(std430, set = 0, binding = 0) buffer all_t2 {
  uint[] all_1;
};
layout(std430, set = 0, binding = 1) readonly buffer some_t2 {
  uint[64] some_1;
};
layout(std430, set = 0, binding = 2) uniform params_t2 {
  uint[16] params_1;
};
shared uint[32] shared_bytes_1;
void halve_1(const uint offset_1, const uint length_1, const uint i_1) {
  all_1[min((offset_1 + (i_1 * 4u)) >> 2u, uint(all_1.length()) - 1u)] = floatBitsToUint((uintBitsToFloat(all_1[min((offset_1 + (i_1 * 4u)) >> 2u, uint(all_1.length()) - 1u)]) * 0.5) + float(length_1 / 4u));
}
uint exactly_1(const uint offset_2, const uint length_2) {
  return length_2;
}
uint length_of_1(const uint offset_3, const uint length_3) {
  return length_3;
}
uint least_1(const uint offset_4, const uint length_4) {
  return length_of_1(offset_4, length_4);
}
uint length_of_all_1() {
  return (uint(all_1.length()) * 4u) + 64u;
}
void main() {
  uint place_1 = gl_LocalInvocationIndex;
  for (;;) {
    uint v_1 = place_1;
    if (v_1 >= 32u) {
      break;
    }
    shared_bytes_1[v_1] = 0u;
    place_1 = v_1 + 8u;
  }
  barrier();
  uvec3 id_1 = ((kem_dispatch.base.xyz + gl_WorkGroupID) * uvec3(8u, 1u, 1u)) + gl_LocalInvocationID;
  Part_t1 part_1 = Part_t1(ivec3(int(some_1[4]), int(some_1[5]), int(some_1[6])), uintBitsToFloat(some_1[7]), mat2x2(vec2(uintBitsToFloat(some_1[8]), uintBitsToFloat(some_1[9])), vec2(uintBitsToFloat(some_1[10]), uintBitsToFloat(some_1[11]))));
  uint v_2 = uint(all_1.length()) * 4u;
  uint v_3 = id_1.y & 4294967288u;
  uint v_4 = v_2 - min(v_3, v_2);
  uint v_5 = (v_3 + 8u) + (id_1.x * 8u);
  vec2 v_6 = part_1.m_m2 * vec2(part_1.weight_m1, uintBitsToFloat(some_1[min((((id_1.x * 32u) & 4294967280u) + 12u) >> 2u, 63u)]));
  all_1[min(v_5 >> 2u, uint(all_1.length()) - 1u)] = floatBitsToUint(v_6.x);
  all_1[min((v_5 + 4u) >> 2u, uint(all_1.length()) - 1u)] = floatBitsToUint(v_6.y);
  all_1[min(v_3 >> 2u, uint(all_1.length()) - 1u)] = all_1[min(v_3 >> 2u, uint(all_1.length()) - 1u)] + (((v_4 - min(8u, v_4)) / 8u) + params_1[min(((id_1.x * 16u) + 4u) >> 2u, 15u)]);
  uint v_7 = uint(all_1.length()) * 4u;
  halve_1(32u, min(v_7 - min(32u, v_7), id_1.z), id_1.x);
  all_1[min(2u, uint(all_1.length()) - 1u)] = packFloat2x16(f16vec3(1.0hf, 2.0hf, 3.0hf).xy);
  uint v_8 = (12u & 2u) * 8u;
  uint v_9 = min(3u, uint(all_1.length()) - 1u);
  uint v_10 = atomicAnd(all_1[v_9], ~(65535u << (v_8 & 31u)));
  uint v_11 = atomicOr(all_1[v_9], packFloat2x16(f16vec2(f16vec3(1.0hf, 2.0hf, 3.0hf).z, 0.0hf)) << (v_8 & 31u));
  uint v_12 = id_1.x * 2u;
  uint v_13 = (v_12 & 2u) * 8u;
  uint v_14 = min(v_12 >> 2u, uint(all_1.length()) - 1u);
  uint v_15 = atomicAnd(all_1[v_14], ~(65535u << (v_13 & 31u)));
  uint v_16 = atomicOr(all_1[v_14], packFloat2x16(f16vec2(unpackFloat2x16(some_1[0]).y + float16_t(part_1.flags_m0.x), 0.0hf)) << (v_13 & 31u));
  uint index_1 = 0u;
  for (;;) {
    uint v_17 = index_1;
    if (v_17 >= 32u) {
      break;
    }
    shared_bytes_1[min((v_17 * 4u) >> 2u, 31u)] = constant_1[min(v_17, 31u)];
    index_1 = v_17 + 1u;
  }
  barrier();
  barrier();
  uint sum_1 = shared_bytes_1[1];
  barrier();
  all_1[min(1u, uint(all_1.length()) - 1u)] = (((sum_1 + exactly_1(0u, 128u)) + least_1(0u, 128u)) + length_of_1(0u, 256u)) + length_of_all_1();
}
