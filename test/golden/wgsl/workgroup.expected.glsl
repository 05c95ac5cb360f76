#version 460
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 32, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Bin_t1 {
  uint count_m0;
  int lowest_m1;
  vec2[5] items_m2;
};
struct atomic_compare_exchange_result_u32_t1 {
  uint old_value_m0;
  bool exchanged_m1;
};
layout(std430, set = 0, binding = 0) coherent buffer out_t2 {
  uint[] out_1;
};
layout(std430, set = 0, binding = 1) coherent buffer totals_t2 {
  uint[4] totals_1;
};
shared Bin_t1[3] bins_1;
shared bool[40][7] flags_1;
shared uint[32] tile_1;
shared uint limit_1;
void kem_storage_barrier() {
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
}
void main() {
  uint local_1 = gl_LocalInvocationIndex;
  if (local_1 < 1u) {
    limit_1 = 0u;
  }
  if (local_1 < 3u) {
    atomicStore(bins_1[local_1].count_m0, 0u, gl_ScopeDevice, 0, 0);
    atomicStore(bins_1[local_1].lowest_m1, 0, gl_ScopeDevice, 0, 0);
  }
  if (local_1 < 15u) {
    bins_1[local_1 / 5u].items_m2[local_1 % 5u] = vec2(0.0);
  }
  tile_1[local_1] = 0u;
  uint place_1 = local_1;
  for (;;) {
    uint v_1 = place_1;
    if (v_1 >= 280u) {
      break;
    }
    flags_1[v_1 / 7u][v_1 % 7u] = false;
    place_1 = v_1 + 32u;
  }
  barrier();
  tile_1[local_1] = out_1[min(local_1, uint(out_1.length()) - 1u)];
  flags_1[local_1][local_1 % 7u] = tile_1[min(31u - local_1, 31u)] > 3u;
  if (local_1 == 0u) {
    limit_1 = 20u;
  }
  kem_storage_barrier();
  barrier();
  uint n_1 = limit_1;
  barrier();
  uint v_2 = local_1 % 3u;
  uint before_1 = atomicAdd(bins_1[v_2].count_m0, 1u);
  int v_3 = atomicMin(bins_1[v_2].lowest_m1, -int(local_1));
  bins_1[v_2].items_m2[local_1 % 5u].x = 1.0;
  barrier();
  if (local_1 < n_1) {
    uint v_4 = atomicAdd(totals_1[0], 0u - before_1);
    uint v_5 = atomicLoad(bins_1[v_2].count_m0, gl_ScopeDevice, 0, 0);
    uint v_6 = atomicMax(totals_1[1], v_5);
    uint v_7 = atomicOr(totals_1[2], 1u << (local_1 & 31u));
    uint v_8 = atomicAnd(totals_1[2], 255u);
    uint v_9 = atomicXor(totals_1[3], v_8);
    int v_10 = atomicExchange(bins_1[v_2].lowest_m1, 4);
    atomicStore(bins_1[v_2].lowest_m1, v_10, gl_ScopeDevice, 0, 0);
    uint v_11 = atomicCompSwap(totals_1[0], 5u, 6u);
    atomic_compare_exchange_result_u32_t1 r_1 = atomic_compare_exchange_result_u32_t1(v_11, v_11 == 5u);
    out_1[min(local_1, uint(out_1.length()) - 1u)] = (r_1.old_value_m0 + uint(r_1.exchanged_m1)) + uint(flags_1[local_1][0]);
  }
}
