#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer data_t2 {
  uint[] data_1;
};
uint search_1(const uint n_1) {
  for (;;) {
    if (data_1[min(n_1, uint(data_1.length()) - 1u)] == 3u) {
      return n_1;
    }
  }
}
void main() {
  uint sum_1 = 0u;
  uint i_1 = 0u;
  while (i_1 < 10u) {
    if (data_1[min(i_1, uint(data_1.length()) - 1u)] == 0u) {
      i_1 = i_1 + 1u;
      continue;
    }
    uint fresh_1 = 0u;
    fresh_1 = fresh_1 + data_1[min(i_1, uint(data_1.length()) - 1u)];
    sum_1 = sum_1 + fresh_1;
    i_1 = i_1 + 1u;
  }
  while (sum_1 > 100u) {
    sum_1 = sum_1 - 7u;
  }
  for (;;) {
    uint step_1 = data_1[min(sum_1, uint(data_1.length()) - 1u)];
    if (step_1 == 9u) {
      sum_1 = sum_1 + step_1;
      if (sum_1 > 50u) {
        break;
      }
      continue;
    }
    if (step_1 > 20u) {
      break;
    }
    sum_1 = sum_1 + step_1;
    if (sum_1 > 50u) {
      break;
    }
  }
  uint seen_1 = 0u;
  bool first_1 = true;
  for (;;) {
    if (first_1) {
      first_1 = false;
    } else {
      sum_1 = sum_1 + seen_1;
      if (sum_1 > 200u) {
        break;
      }
    }
    seen_1 = data_1[min(sum_1 + 1u, uint(data_1.length()) - 1u)];
    switch (seen_1) {
      case 1u:
      {
        continue;
      }
      case 2u:
      {
        break;
      }
      default:
      {
        seen_1 = seen_1 + 1u;
        break;
      }
    }
    sum_1 = sum_1 + 2u;
  }
  data_1[0] = sum_1 + search_1(1u);
}
