#version 460
layout(local_size_x = 4, local_size_y = 2, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
const uint[300] constant_1 = uint[300](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
struct Point_t1 {
  vec2 at_m0;
  uint id_m1;
};
const Point_t1 constant_2 = Point_t1(vec2(0.0), 0u);
const Point_t1[20] constant_3 = Point_t1[20](constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2, constant_2);
const Point_t1 constant_4 = Point_t1(vec2(1.0, 2.0), 7u);
const Point_t1[2] constant_5 = Point_t1[2](constant_4, constant_2);
const float[4] constant_6 = float[4](1.0, 2.5, -3.25, 3.40282347e+38);
const int[2] constant_7 = int[2](3, (-2147483647 - 1));
uint seed_1 = 2654435769u;
uint[300] buffer_1 = constant_1;
layout(std430, set = 0, binding = 0) buffer out_t2 {
  float[] out_1;
};
void main() {
  uint local_1 = gl_LocalInvocationIndex;
  Point_t1[20] zeros_1 = constant_3;
  zeros_1[local_1] = constant_5[local_1 % 2u];
  out_1[min(local_1, uint(out_1.length()) - 1u)] = ((constant_6[min(local_1, 3u)] * 1.5) + float(constant_7[local_1 % 2u])) + zeros_1[local_1 / 2u].at_m0.y;
  buffer_1[local_1] = seed_1;
  out_1[min(local_1 + 1u, uint(out_1.length()) - 1u)] = (((float(buffer_1[local_1]) + mat2x3(vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0))[min(local_1, 1u)].y) + 9.9999461e-41) + 0.100000001) + 16777216.0;
}
