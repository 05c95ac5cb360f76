#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer data_t2 {
  uint[] data_1;
};
uint state_1 = 1u;
uint next_1() {
  state_1 = (state_1 * 5u) + 1u;
  return state_1;
}
void main() {
  uint before_1 = state_1;
  uint v_1 = state_1;
  uint v_2 = next_1();
  data_1[0] = (v_1 + v_2) + state_1;
  uint v_3 = next_1();
  data_1[min(v_3 % 4u, uint(data_1.length()) - 1u)] = data_1[min(1u, uint(data_1.length()) - 1u)] + before_1;
  uint x_1 = data_1[min(2u, uint(data_1.length()) - 1u)];
  uint old_1 = x_1;
  x_1 = x_1 + 1u;
  uint v_4 = min(x_1, uint(data_1.length()) - 1u);
  uint v_5 = next_1();
  data_1[v_4] = (old_1 * v_5) - x_1;
  uint i_1 = data_1[min(3u, uint(data_1.length()) - 1u)];
  data_1[min(3u, uint(data_1.length()) - 1u)] = 0u;
  data_1[min(i_1, uint(data_1.length()) - 1u)] = i_1;
}
