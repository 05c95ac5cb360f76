#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 32, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer u_t2 {
  uvec4[] u_1;
};
void main() {
  uint lane_1 = gl_SubgroupInvocationID;
  uint x_1 = u_1[0].x + lane_1;
  uint v_1 = subgroupAdd(x_1);
  uint v_2 = subgroupMul(x_1);
  uint v_3 = subgroupMin(x_1);
  uint v_4 = subgroupMax(x_1);
  u_1[min(1u, uint(u_1.length()) - 1u)] = uvec4(v_1, v_2, v_3, v_4);
  uint v_5 = subgroupAnd(x_1);
  uint v_6 = subgroupOr(x_1);
  uint v_7 = subgroupXor(x_1);
  uint v_8 = subgroupExclusiveAdd(x_1);
  u_1[min(2u, uint(u_1.length()) - 1u)] = uvec4(v_5, v_6, v_7, v_8);
  uint v_9 = subgroupInclusiveAdd(x_1);
  uint v_10 = subgroupExclusiveMul(x_1);
  uint v_11 = subgroupInclusiveMul(x_1);
  uint v_12 = subgroupBroadcast(x_1, 3);
  u_1[min(3u, uint(u_1.length()) - 1u)] = uvec4(v_9, v_10, v_11, v_12);
  uvec4 v_13 = subgroupBallot(x_1 > 3u);
  uint v_14 = subgroupBroadcastFirst(x_1);
  u_1[min(4u, uint(u_1.length()) - 1u)] = v_13 + uvec4(v_14);
  uint v_15 = subgroupShuffle(x_1, lane_1 ^ 1u);
  uint v_16 = subgroupShuffleXor(x_1, 1u);
  uint v_17 = subgroupShuffleUp(x_1, 1u);
  uint v_18 = subgroupShuffleDown(x_1, 1u);
  u_1[min(5u, uint(u_1.length()) - 1u)] = uvec4(v_15, v_16, v_17, v_18);
  bool v_19 = subgroupElect();
  bool v_20 = subgroupAll(x_1 > 1u);
  bool v_21 = subgroupAny(x_1 > 1u);
  u_1[min(6u, uint(u_1.length()) - 1u)] = uvec4(uint(v_19), uint(v_20), uint(v_21), gl_SubgroupSize);
  uint v_22 = subgroupQuadBroadcast(x_1, 1);
  uint v_23 = subgroupQuadSwapHorizontal(x_1);
  uint v_24 = subgroupQuadSwapVertical(x_1);
  uint v_25 = subgroupQuadSwapDiagonal(x_1);
  u_1[min(7u, uint(u_1.length()) - 1u)] = uvec4(v_22, v_23, v_24, v_25);
}
