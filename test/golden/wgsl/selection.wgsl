//! slow_array_constants
struct Pair { a: u32, b: vec2<f32> }
const numbers = array(2u, 3u, 5u, 7u, 11u);
const pairs = array(Pair(1u, vec2(0.5)), Pair(), Pair(3u, vec2(1.5, 2.5)));
const matrices = array(mat2x2<f32>(1, 2, 3, 4), mat2x2<f32>());
const table = array(array(1i, 2i), array(3i, 4i));

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
  out[0] = numbers[out[4]] + numbers[2];
  let p = pairs[i32(out[5])];
  out[1] = p.a + u32(p.b.y);
  out[2] = u32(matrices[out[6]][out[7]].x);
  out[3] = u32(table[i][out[8]]);
  out[9] = array<u32, 3>()[out[8]];
}
