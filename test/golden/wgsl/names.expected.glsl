#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct vec_t1 {
  uint float_m0;
  uint xgl_Position_m1;
  uint inner_m2;
};
layout(std430, set = 0, binding = 0) buffer uniform_t2 {
  vec_t1 uniform_1;
};
uint xgl_WorkGroupID_1 = 0u;
uint kem_divide(const uint a, const uint b) {
  return a / (b == 0u ? 1u : b);
}
uint main_1(const uint input_1, const uint gr_e_1) {
  uint double_1 = input_1 + gr_e_1;
  xgl_WorkGroupID_1 = double_1 * 2u;
  return double_1;
}
uint xkem_divide_1(const uint texture2D_1) {
  uint sampler_1 = texture2D_1;
  sampler_1 = kem_divide(sampler_1, uniform_1.float_m0);
  return sampler_1;
}
void main() {
  uint v_1 = main_1(uniform_1.xgl_Position_m1, uniform_1.inner_m2);
  uniform_1.float_m0 = v_1;
  uniform_1.xgl_Position_m1 = xkem_divide_1(xgl_WorkGroupID_1);
}
