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
  uint i_1 = 8u;
  for (;;) {
    i_1 = i_1 - 1u;
    if (i_1 > (7u + kem_dispatch.base.w)) {
      break;
    }
    uint v_1 = min(i_1, uint(data_1.length()) - 1u);
    data_1[v_1] = data_1[v_1] + 1u;
  }
  uint k_1 = 0u;
  while (k_1 < 8u) {
    if (k_1 == 3u) {
      break;
    }
    uint v_2 = min(k_1, uint(data_1.length()) - 1u);
    data_1[v_2] = data_1[v_2] + 2u;
    k_1 = k_1 + 1u;
  }
  int n_1 = 5;
  for (;;) {
    int next_1 = n_1 + 1;
    if (((6 + int(kem_dispatch.base.w)) > next_1) || (data_1[0] == 3u)) {
      break;
    }
    n_1 = next_1;
    if (n_1 == (int(data_1[min(1u, uint(data_1.length()) - 1u)]) + int(kem_dispatch.base.w))) {
      return;
    }
  }
  uint m_1 = 0u;
  for (;;) {
    data_1[min(m_1, uint(data_1.length()) - 1u)] = 7u;
    m_1 = m_1 + 1u;
    if (m_1 == (1u + kem_dispatch.base.w)) {
      break;
    }
  }
}
