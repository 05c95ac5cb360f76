#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8, local_size_y = 8, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Pair_t1 {
  float a_m0;
  ivec2 b_m1;
};
struct Params_t1 {
  uvec2 size_m0;
  float scale_m1;
  vec3 offset_m2;
  uvec4[4] table_m3;
  Pair_t1 inner_m4;
};
layout(std430, set = 0, binding = 2) uniform params_t2 {
  Params_t1 params_1;
};
layout(std430, set = 0, binding = 3) uniform m_t2 {
  mat4x4 m_1;
};
layout(std430, set = 1, binding = 0) buffer out_t2 {
  vec4[] out_1;
};
void main() {
  uvec3 id_1 = ((kem_dispatch.base.xyz + gl_WorkGroupID) * uvec3(8u, 8u, 1u)) + gl_LocalInvocationID;
  if (any(greaterThanEqual(id_1.xy, params_1.size_m0))) {
    return;
  }
  Pair_t1 p_1 = params_1.inner_m4;
  out_1[min(id_1.x, uint(out_1.length()) - 1u)] = (m_1 * vec4(params_1.offset_m2 * params_1.scale_m1, p_1.a_m0 + float(p_1.b_m1.y))) + vec4(params_1.table_m3[min(id_1.y, 3u)]);
}
