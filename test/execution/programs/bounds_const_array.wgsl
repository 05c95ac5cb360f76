//! buffer 0: 1 100
//! expect: 3 4 9 9 4
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
const T = array(array(1u,2u), array(3u,4u));
const M = mat2x2<f32>(1,2,3,4);
const V = vec3<i32>(7,8,9);

@compute @workgroup_size(1) fn main() {
  let i = input[0];
  output[0] = T[i][1u - i];
  output[1] = u32(M[i][i]);
  output[2] = u32(V[i+1u]);
  output[3]=u32(V[input[1]]) ;
  let t = T;
  output[4] = t[i][i];
}
