#version 460
layout(local_size_x = 4, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Cell_t1 {
  uint value_m0;
  uint[4] list_m1;
};
const uint[4] constant_1 = uint[4](0u, 0u, 0u, 0u);
const Cell_t1 constant_2 = Cell_t1(0u, constant_1);
layout(std430, set = 0, binding = 0) buffer cells_t2 {
  Cell_t1[] cells_1;
};
layout(std430, set = 0, binding = 1) buffer words_t2 {
  uint[] words_1;
};
shared Cell_t1[4] shared_cells_1;
Cell_t1 mine_1 = constant_2;
void swap_1(inout uint a_1, inout uint b_1) {
  uint t_1 = a_1;
  a_1 = b_1;
  b_1 = t_1;
}
uint bump_2(const uint index_1, const uint index_2, const uint by_1) {
  uint old_1 = cells_1[index_1].list_m1[index_2];
  cells_1[index_1].list_m1[index_2] = old_1 + by_1;
  return old_1;
}
uint bump_3(const uint index_3, const uint by_2) {
  uint old_2 = cells_1[index_3].value_m0;
  cells_1[index_3].value_m0 = old_2 + by_2;
  return old_2;
}
void fill_2(const uint index_4, const uint i_1) {
  uint v_1 = bump_2(index_4, min(i_1, 3u), 1u);
  cells_1[index_4].value_m0 = v_1;
  uint v_2 = bump_3(index_4, 2u);
}
uint total_2(const uint index_5) {
  return shared_cells_1[index_5].value_m0 + shared_cells_1[index_5].list_m1[3];
}
uint length_of_2() {
  return uint(words_1.length()) + words_1[min(1u, uint(words_1.length()) - 1u)];
}
void reset_2() {
  mine_1 = constant_2;
}
void main() {
  uint local_1 = gl_LocalInvocationIndex;
  shared_cells_1[local_1].value_m0 = 0u;
  uint place_1 = local_1;
  for (;;) {
    uint v_3 = place_1;
    if (v_3 >= 16u) {
      break;
    }
    shared_cells_1[v_3 / 4u].list_m1[v_3 % 4u] = 0u;
    place_1 = v_3 + 4u;
  }
  barrier();
  uint v_4 = min(local_1, uint(cells_1.length()) - 1u);
  fill_2(v_4, 2u);
  fill_2(min(local_1 + 1u, uint(cells_1.length()) - 1u), local_1);
  cells_1[v_4].value_m0 = cells_1[v_4].value_m0 + (total_2(local_1) + length_of_2());
  reset_2();
  uint x_1 = cells_1[v_4].value_m0;
  uint[2] y_1 = uint[2](1u, mine_1.value_m0);
  swap_1(x_1, y_1[min(local_1, 1u)]);
  words_1[min(local_1, uint(words_1.length()) - 1u)] = x_1 + y_1[0];
}
