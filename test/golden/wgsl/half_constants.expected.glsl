#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Mixed_t1 {
  int count_m0;
  float16_t part_m1;
  ivec4 rest_m2;
};
const Mixed_t1 constant_1 = Mixed_t1(1, 2.0hf, ivec4(3, 3, 3, 3));
struct frexp_result_f16_t1 {
  float16_t fract_m0;
  int exp_m1;
};
const frexp_result_f16_t1 constant_2 = frexp_result_f16_t1(0.75hf, 1);
layout(std430, set = 0, binding = 0) buffer result_t2 {
  ivec4 result_1;
};
void main() {
  result_1 = constant_1.rest_m2 + constant_2.exp_m1;
}
