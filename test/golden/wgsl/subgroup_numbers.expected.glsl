#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 12, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer result_t2 {
  uvec2[] result_1;
};
shared uint subgroup_counter_1;
void main() {
  uint index_1 = gl_LocalInvocationIndex;
  if (index_1 < 1u) {
    atomicStore(subgroup_counter_1, 0u, gl_ScopeDevice, 0, 0);
  }
  barrier();
  uint subgroup_number_1 = 0u;
  bool v_1 = subgroupElect();
  if (v_1) {
    uint v_2 = atomicAdd(subgroup_counter_1, 1u);
    subgroup_number_1 = v_2;
  }
  uint id_1 = subgroupBroadcastFirst(subgroup_number_1);
  barrier();
  uint count_1 = atomicLoad(subgroup_counter_1, gl_ScopeDevice, 0, 0);
  result_1[min(index_1, uint(result_1.length()) - 1u)] = uvec2(id_1, count_1);
}
