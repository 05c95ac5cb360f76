#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer data_t2 {
  uint[] data_1;
};
void main() {
  uint sum_1 = data_1[0];
  while (!(sum_1 > 5u)) {
    for (;;) {
      sum_1 = sum_1 + 1u;
      break;
    }
    data_1[min(sum_1, uint(data_1.length()) - 1u)] = 1u;
    sum_1 = sum_1 + 1u;
  }
  data_1[0] = sum_1;
}
