#version 460
layout(local_size_x = 8, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer r_t2 {
  uint head_m0;
  vec4[8] list_m1;
  mat4x4[] tail_m2;
} r_1;
layout(std430, set = 0, binding = 1) readonly buffer index_t2 {
  int[] index_1;
};
void main() {
  uint local_1 = gl_LocalInvocationIndex;
  uvec3 id_1 = ((kem_dispatch.base.xyz + gl_WorkGroupID) * uvec3(8u, 1u, 1u)) + gl_LocalInvocationID;
  int i_1 = index_1[min(id_1.x, uint(index_1.length()) - 1u)];
  r_1.list_m1[min(uint(i_1), 7u)] = r_1.tail_m2[min(uint(i_1), uint(r_1.tail_m2.length()) - 1u)][min(uint(i_1), 3u)];
  r_1.list_m1[local_1] = r_1.list_m1[min(local_1 + 1u, 7u)];
  r_1.list_m1[i_1 & 7] = r_1.list_m1[id_1.y % 8u];
  r_1.tail_m2[min(3u, uint(r_1.tail_m2.length()) - 1u)][2].y = r_1.tail_m2[0][0].x;
  r_1.head_m0 = uint(r_1.tail_m2.length());
  r_1.list_m1[0] = r_1.list_m1[min(uint(i_1), 7u)];
  uvec3 v_1 = uvec3(1u, 2u, 3u);
  v_1[min(uint(i_1), 2u)] = v_1[min(id_1.z, 2u)];
  r_1.head_m0 = r_1.head_m0 + (v_1.x + uvec2(4u, 5u)[min(uint(i_1), 1u)]);
}
