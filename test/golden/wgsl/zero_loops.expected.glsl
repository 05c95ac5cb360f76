#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Row_t1 {
  vec4[11] cells_m0;
  uint count_m1;
};
const uint[4] constant_1 = uint[4](0u, 0u, 0u, 0u);
Row_t1[3] rows_1;
uint[4] few_1 = constant_1;
layout(std430, set = 0, binding = 0) buffer out_t2 {
  uint[] out_1;
};
layout(std430, set = 0, binding = 1) buffer kept_t2 {
  Row_t1 kept_1;
};
void main() {
  uint index_1 = 0u;
  for (;;) {
    uint v_1 = index_1;
    if (v_1 >= 3u) {
      break;
    }
    uint index_2 = 0u;
    for (;;) {
      uint v_2 = index_2;
      if (v_2 >= 2u) {
        break;
      }
      uint v_3 = v_2 * 4u;
      rows_1[v_1].cells_m0[v_3] = vec4(0.0);
      rows_1[v_1].cells_m0[v_3 + 1u] = vec4(0.0);
      rows_1[v_1].cells_m0[v_3 + 2u] = vec4(0.0);
      rows_1[v_1].cells_m0[v_3 + 3u] = vec4(0.0);
      index_2 = v_2 + 1u;
    }
    rows_1[v_1].cells_m0[8] = vec4(0.0);
    rows_1[v_1].cells_m0[9] = vec4(0.0);
    rows_1[v_1].cells_m0[10] = vec4(0.0);
    rows_1[v_1].count_m1 = 0u;
    index_1 = v_1 + 1u;
  }
  uint i_1 = 0u;
  while (i_1 < 2u) {
    uint[100] counts_1;
    uint index_3 = 0u;
    for (;;) {
      uint v_4 = index_3;
      if (v_4 >= 6u) {
        break;
      }
      uint v_5 = v_4 * 16u;
      counts_1[v_5] = 0u;
      counts_1[v_5 + 1u] = 0u;
      counts_1[v_5 + 2u] = 0u;
      counts_1[v_5 + 3u] = 0u;
      counts_1[v_5 + 4u] = 0u;
      counts_1[v_5 + 5u] = 0u;
      counts_1[v_5 + 6u] = 0u;
      counts_1[v_5 + 7u] = 0u;
      counts_1[v_5 + 8u] = 0u;
      counts_1[v_5 + 9u] = 0u;
      counts_1[v_5 + 10u] = 0u;
      counts_1[v_5 + 11u] = 0u;
      counts_1[v_5 + 12u] = 0u;
      counts_1[v_5 + 13u] = 0u;
      counts_1[v_5 + 14u] = 0u;
      counts_1[v_5 + 15u] = 0u;
      index_3 = v_4 + 1u;
    }
    counts_1[96] = 0u;
    counts_1[97] = 0u;
    counts_1[98] = 0u;
    counts_1[99] = 0u;
    uint v_6 = min(out_1[min(i_1, uint(out_1.length()) - 1u)], 99u);
    counts_1[v_6] = counts_1[v_6] + 1u;
    out_1[min(i_1, uint(out_1.length()) - 1u)] = (counts_1[min(out_1[min(2u, uint(out_1.length()) - 1u)], 99u)] + few_1[min(out_1[min(3u, uint(out_1.length()) - 1u)], 3u)]) + rows_1[min(i_1, 2u)].count_m1;
    uint index_4 = 0u;
    for (;;) {
      uint v_7 = index_4;
      if (v_7 >= 6u) {
        break;
      }
      uint v_8 = v_7 * 16u;
      counts_1[v_8] = 0u;
      counts_1[v_8 + 1u] = 0u;
      counts_1[v_8 + 2u] = 0u;
      counts_1[v_8 + 3u] = 0u;
      counts_1[v_8 + 4u] = 0u;
      counts_1[v_8 + 5u] = 0u;
      counts_1[v_8 + 6u] = 0u;
      counts_1[v_8 + 7u] = 0u;
      counts_1[v_8 + 8u] = 0u;
      counts_1[v_8 + 9u] = 0u;
      counts_1[v_8 + 10u] = 0u;
      counts_1[v_8 + 11u] = 0u;
      counts_1[v_8 + 12u] = 0u;
      counts_1[v_8 + 13u] = 0u;
      counts_1[v_8 + 14u] = 0u;
      counts_1[v_8 + 15u] = 0u;
      index_4 = v_7 + 1u;
    }
    counts_1[96] = 0u;
    counts_1[97] = 0u;
    counts_1[98] = 0u;
    counts_1[99] = 0u;
    uint index_5 = 0u;
    for (;;) {
      uint v_9 = index_5;
      if (v_9 >= 2u) {
        break;
      }
      uint v_10 = v_9 * 4u;
      kept_1.cells_m0[v_10] = vec4(0.0);
      kept_1.cells_m0[v_10 + 1u] = vec4(0.0);
      kept_1.cells_m0[v_10 + 2u] = vec4(0.0);
      kept_1.cells_m0[v_10 + 3u] = vec4(0.0);
      index_5 = v_9 + 1u;
    }
    kept_1.cells_m0[8] = vec4(0.0);
    kept_1.cells_m0[9] = vec4(0.0);
    kept_1.cells_m0[10] = vec4(0.0);
    kept_1.count_m1 = 0u;
    i_1 = i_1 + 1u;
  }
}
