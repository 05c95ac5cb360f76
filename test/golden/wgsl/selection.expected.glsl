#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Pair_t1 {
  uint a_m0;
  vec2 b_m1;
};
layout(std430, set = 0, binding = 0) buffer out_t2 {
  uint[] out_1;
};
uint kem_to_u32(const float a) {
  return uint(min(max(a, 0.0), 4294967040.0));
}
void main() {
  uint v_1 = min(out_1[min(4u, uint(out_1.length()) - 1u)], 4u);
  bool v_2 = (v_1 & 1u) != 0u;
  out_1[0] = (((v_1 & 4u) != 0u) ? 11u : (((v_1 & 2u) != 0u) ? (v_2 ? 7u : 5u) : (v_2 ? 3u : 2u))) + 5u;
  uint v_3 = min(uint(int(out_1[min(5u, uint(out_1.length()) - 1u)])), 2u);
  bool v_4 = (v_3 & 1u) != 0u;
  bool v_5 = (v_3 & 2u) != 0u;
  Pair_t1 p_1 = Pair_t1(v_5 ? 3u : (v_4 ? 0u : 1u), v_5 ? vec2(1.5, 2.5) : (v_4 ? vec2(0.0) : vec2(0.5, 0.5)));
  out_1[min(1u, uint(out_1.length()) - 1u)] = p_1.a_m0 + kem_to_u32(p_1.b_m1.y);
  bool v_6 = (min(out_1[min(6u, uint(out_1.length()) - 1u)], 1u) & 1u) != 0u;
  out_1[min(2u, uint(out_1.length()) - 1u)] = kem_to_u32(mat2x2(v_6 ? vec2(0.0) : vec2(1.0, 2.0), v_6 ? vec2(0.0) : vec2(3.0, 4.0))[min(out_1[min(7u, uint(out_1.length()) - 1u)], 1u)].x);
  bool v_7 = (gl_LocalInvocationIndex & 1u) != 0u;
  out_1[min(3u, uint(out_1.length()) - 1u)] = uint(int[2](v_7 ? 3 : 1, v_7 ? 4 : 2)[min(out_1[min(8u, uint(out_1.length()) - 1u)], 1u)]);
  out_1[min(9u, uint(out_1.length()) - 1u)] = 0u;
}
