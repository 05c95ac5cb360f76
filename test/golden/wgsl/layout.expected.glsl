#version 460
layout(local_size_x = 1, local_size_y = 1, local_size_z = 1) in;
layout(push_constant, std430) uniform KemDispatch {
  uvec4 base;
  uvec4 count;
} kem_dispatch;
struct Inner_t1 {
  uint a_m0;
  uint kem_pad0[7];
  vec2 b_m1;
  uint kem_pad1[6];
};
struct Outer_t1 {
  vec3 head_m0;
  uint tag_m1;
  uint kem_pad0[4];
  Inner_t1[3] list_m2;
  uint kem_pad1[8];
  mat3x2 m_m3;
  uint kem_pad2[10];
};
struct Natural_t1 {
  uint a_m0;
  vec3 b_m1;
  mat3x3 c_m2;
  uvec2[3] d_m3;
};
struct Inner_t2 {
  uint a_m0;
  vec2 b_m1;
};
struct Outer_t2 {
  vec3 head_m0;
  uint tag_m1;
  Inner_t2[3] list_m2;
  mat3x2 m_m3;
};
const Inner_t2 constant_1 = Inner_t2(0u, vec2(0.0));
const Inner_t2[3] constant_2 = Inner_t2[3](constant_1, constant_1, constant_1);
const Outer_t2 constant_3 = Outer_t2(vec3(0.0), 0u, constant_2, mat3x2(0.0));
const Inner_t2 constant_4 = Inner_t2(1u, vec2(2.0, 3.0));
layout(std430, set = 0, binding = 0) buffer outer_t2 {
  Outer_t1[] outer_1;
};
layout(std430, set = 0, binding = 1) buffer natural_t2 {
  Natural_t1 natural_1;
};
Outer_t2 copy_1 = constant_3;
void main() {
  uint v_1 = min(1u, uint(outer_1.length()) - 1u);
  vec3 v_2 = outer_1[v_1].head_m0;
  uint v_3 = outer_1[v_1].tag_m1;
  Inner_t2[3] copy_2;
  uint index_1 = 0u;
  for (;;) {
    uint v_4 = index_1;
    if (v_4 >= 3u) {
      break;
    }
    copy_2[v_4] = Inner_t2(outer_1[v_1].list_m2[v_4].a_m0, outer_1[v_1].list_m2[v_4].b_m1);
    index_1 = v_4 + 1u;
  }
  copy_1 = Outer_t2(v_2, v_3, copy_2, outer_1[v_1].m_m3);
  copy_1.list_m2[2].b_m1.y = 3.0;
  uint i_1 = copy_1.tag_m1;
  uint v_5 = min(i_1, 2u);
  copy_1.list_m2[min(i_1, 2u)] = Inner_t2(outer_1[0].list_m2[v_5].a_m0, outer_1[0].list_m2[v_5].b_m1);
  uint v_6 = min(i_1, uint(outer_1.length()) - 1u);
  Outer_t2 v_7 = copy_1;
  outer_1[v_6].head_m0 = v_7.head_m0;
  outer_1[v_6].tag_m1 = v_7.tag_m1;
  Inner_t2[3] v_8 = v_7.list_m2;
  uint index_2 = 0u;
  for (;;) {
    uint v_9 = index_2;
    if (v_9 >= 3u) {
      break;
    }
    Inner_t2 v_10 = v_8[v_9];
    outer_1[v_6].list_m2[v_9].a_m0 = v_10.a_m0;
    outer_1[v_6].list_m2[v_9].b_m1 = v_10.b_m1;
    index_2 = v_9 + 1u;
  }
  outer_1[v_6].m_m3 = v_7.m_m3;
  uint v_11 = min(2u, uint(outer_1.length()) - 1u);
  outer_1[v_11].list_m2[1].a_m0 = constant_4.a_m0;
  outer_1[v_11].list_m2[1].b_m1 = constant_4.b_m1;
  uint v_12 = min(3u, uint(outer_1.length()) - 1u);
  Inner_t2[3] v_13 = copy_1.list_m2;
  uint index_3 = 0u;
  for (;;) {
    uint v_14 = index_3;
    if (v_14 >= 3u) {
      break;
    }
    Inner_t2 v_15 = v_13[v_14];
    outer_1[v_12].list_m2[v_14].a_m0 = v_15.a_m0;
    outer_1[v_12].list_m2[v_14].b_m1 = v_15.b_m1;
    index_3 = v_14 + 1u;
  }
  Natural_t1 n_1 = natural_1;
  n_1.b_m1 = copy_1.head_m0;
  natural_1 = n_1;
}
