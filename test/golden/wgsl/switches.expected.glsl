#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer data_t2 {
  int[] data_1;
};
int choose_1(const int x_1) {
  switch (x_1) {
    case (-2147483647 - 1):
    case 1:
    {
      return 1;
    }
    case 2:
    case 3:
    default:
    {
      if (data_1[0] > 4) {
        break;
      }
      return 2;
    }
  }
  return 3;
}
void main() {
  int i_1 = 0;
  while (i_1 < 4) {
    switch (uint(data_1[min(uint(i_1), uint(data_1.length()) - 1u)])) {
      default:
      {
        data_1[min(uint(i_1), uint(data_1.length()) - 1u)] = choose_1(i_1);
        break;
      }
      case 7u:
      {
        i_1 = i_1 + 1;
        continue;
      }
      case 8u:
      {
        break;
      }
    }
    i_1 = i_1 + 1;
  }
}
