#version 460
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(constant_id = 0) const uint kem_loop_budget = 4294967295u;
layout(constant_id = 1) const uint kem_loop_group = 1u;
layout(std430, set = 0, binding = 0) buffer data_t2 {
  uint[] data_1;
};
layout(std430, set = 0, binding = 2) buffer more_t2 {
  uint[] more_1;
};
shared uint shared_count_1;
uint left_1 = 0u;
uint uniform_left_1 = 0u;
layout(std430, set = 0, binding = 1) buffer trap_t2 {
  uint trap_1;
};
uint forever_1(const uint n_1) {
  for (;;) {
    uint v_1 = kem_loop_group;
    uint v_2 = left_1;
    if (v_2 <= v_1) {
      left_1 = 0u;
      break;
    }
    left_1 = v_2 - v_1;
    if (data_1[min(n_1, uint(data_1.length()) - 1u)] == 1u) {
      return n_1;
    }
  }
  return 0u;
}
uint twice_1(const uint n_2) {
  uint v_3 = forever_1(n_2);
  uint v_4 = forever_1(n_2 + 1u);
  return v_3 + v_4;
}
void main() {
  uint v_5 = kem_loop_budget;
  left_1 = v_5;
  uniform_left_1 = v_5;
  uint local_1 = gl_LocalInvocationIndex;
  if (local_1 < 1u) {
    shared_count_1 = 0u;
  }
  barrier();
  uint i_1 = 0u;
  uint v_6 = uint(more_1.length());
  uint v_7 = i_1;
  uint v_8 = min(min((v_7 < v_6) ? (((v_6 - v_7) - 1u) + 1u) : 0u, 4294967294u) + 1u, 4294967295u / 5u) * 5u;
  uint v_9 = left_1;
  left_1 = v_9 - min(v_9, v_8);
  uint v_10 = uniform_left_1;
  uniform_left_1 = v_10 - min(v_10, v_8);
  if (uniform_left_1 != 0u) {
    while (i_1 < uint(more_1.length())) {
      uint k_1 = 0u;
      while (k_1 < 3u) {
        more_1[min(k_1, uint(more_1.length()) - 1u)] = i_1;
        k_1 = k_1 + 1u;
      }
      barrier();
      if (local_1 == i_1) {
        uint v_11 = shared_count_1;
        uint v_12 = twice_1(i_1);
        shared_count_1 = v_11 + v_12;
      }
      barrier();
      i_1 = i_1 + 1u;
    }
  }
  more_1[min(local_1, uint(more_1.length()) - 1u)] = shared_count_1;
  if (min(left_1, uniform_left_1) == 0u) {
    atomicStore(trap_1, 1u, gl_ScopeDevice, 0, 0);
  }
}
