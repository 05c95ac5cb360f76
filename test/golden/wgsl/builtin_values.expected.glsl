#version 460
layout(local_size_x = 4, local_size_y = 2, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Inputs_t1 {
  uvec3 group_m0;
  uvec3 groups_m1;
};
layout(std430, set = 0, binding = 0) buffer out_t2 {
  uvec3[] out_1;
};
void main() {
  uvec3 group_1 = kem_dispatch.base.xyz + gl_WorkGroupID;
  uvec3 local_1 = gl_LocalInvocationID;
  Inputs_t1 in_1 = Inputs_t1(group_1, kem_dispatch.count.xyz);
  out_1[min(gl_LocalInvocationIndex, uint(out_1.length()) - 1u)] = ((in_1.group_m0 + in_1.groups_m1) + local_1) + ((group_1 * uvec3(4u, 2u, 1u)) + local_1);
}
