#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
layout(std430, set = 0, binding = 0) buffer u_t2 {
  uvec4[] u_1;
};
uint calls_1 = 0u;
bool kem_and(const bool a, const bool b) {
  return a && b;
}
bvec4 kem_and(const bvec4 a, const bvec4 b) {
  return bvec4(kem_and(a.x, b.x), kem_and(a.y, b.y), kem_and(a.z, b.z), kem_and(a.w, b.w));
}
bool kem_or(const bool a, const bool b) {
  return a || b;
}
bvec4 kem_or(const bvec4 a, const bvec4 b) {
  return bvec4(kem_or(a.x, b.x), kem_or(a.y, b.y), kem_or(a.z, b.z), kem_or(a.w, b.w));
}
bool called_1(const uint x_1) {
  calls_1 = calls_1 + 1u;
  return x_1 > 3u;
}
void main() {
  bvec4 a_1 = lessThan(u_1[0], u_1[min(1u, uint(u_1.length()) - 1u)]);
  bvec4 b_1 = greaterThanEqual(u_1[0], uvec4(3u, 3u, 3u, 3u));
  bvec4 c_1 = kem_or(kem_and(a_1, b_1), not(a_1));
  if (all(c_1) || any(notEqual(a_1, b_1))) {
    u_1[min(2u, uint(u_1.length()) - 1u)] = mix(u_1[0], u_1[min(1u, uint(u_1.length()) - 1u)], c_1);
  }
  bool v_1 = u_1[0].x == 1u;
  bool v_2 = v_1;
  if (v_1) {
    bool v_3 = called_1(u_1[0].y);
    v_2 = v_3;
  }
  if (v_2) {
    u_1[min(3u, uint(u_1.length()) - 1u)].x = 1u;
  }
  bool v_4 = u_1[0].x == 1u;
  bool v_5 = v_4;
  if (!v_4) {
    bool v_6 = called_1(u_1[0].y);
    v_5 = v_6;
  }
  if (v_5) {
    u_1[min(3u, uint(u_1.length()) - 1u)].y = 1u;
  }
  bool p_1 = ((u_1[0].x < 3u) && (u_1[0].y > 4u)) || (u_1[0].z != 0u);
  u_1[min(4u, uint(u_1.length()) - 1u)] = uvec4(uint(p_1), p_1 ? 4u : 3u, uint(!p_1), calls_1);
}
