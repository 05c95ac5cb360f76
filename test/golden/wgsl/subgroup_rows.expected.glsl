#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 24, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer result_t2 {
  uvec4[] result_1;
};
void main() {
  uint index_1 = gl_LocalInvocationIndex;
  uint v_1 = index_1 / 2u;
  uvec3 id_1 = uvec3(index_1 % 2u, v_1 % 3u, v_1 / 3u);
  uint v_2 = subgroupQuadSwapHorizontal((((kem_dispatch.base.xyz + gl_WorkGroupID) * uvec3(2u, 3u, 4u)) + id_1).y);
  result_1[min(index_1, uint(result_1.length()) - 1u)] = uvec4(id_1, v_2);
}
