// Dynamic indices are clamped, also in values, vectors and matrices; what cannot be out of range is not.
struct Record {
  head: u32,
  list: array<vec4<f32>, 8>,
  tail: array<mat4x4<f32>>,
}
@group(0) @binding(0) var<storage, read_write> r: Record;
@group(0) @binding(1) var<storage, read> index: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  let i = index[id.x];
  r.list[i] = r.tail[i][i];
  r.list[local] = r.list[local + 1];
  r.list[i & 7] = r.list[id.y % 8];
  r.tail[3][2][1] = r.tail[0][0][0];
  r.head = arrayLength(&r.tail);
  let value = r.list;
  r.list[0] = value[i];
  var v = vec3(1u, 2, 3);
  v[i] = v[id.z];
  r.head += v[0] + vec2(4u, 5)[i];
}
