// Views of buffers: words, and what is made of them.
enable f16;
struct Part {
  flags: vec3<i32>,
  weight: f32,
  m: mat2x2<f32>,
}
struct Tail {
  count: u32,
  items: array<vec2<f32>>,
}
@group(0) @binding(0) var<storage, read_write> all: buffer;
@group(0) @binding(1) var<storage> some: buffer<256>;
@group(0) @binding(2) var<uniform> params: buffer<64>;
var<workgroup> shared_bytes: buffer<128>;
override place = 16u;

fn halve(p: ptr<storage, array<f32>, read_write>, i: u32) {
  p[i] = (*p)[i] * 0.5 + f32(arrayLength(p));
}
fn least(p: ptr<storage, buffer<128>>) -> u32 {
  return length_of(p);
}
fn exactly(p: ptr<workgroup, buffer<128>>) -> u32 {
  return bufferLength(p);
}
fn length_of(p: ptr<storage, buffer>) -> u32 {
  return bufferLength(p);
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let part = *bufferView<Part>(&some, place);
  let weight = bufferView<Part>(&some, id.x * 32).weight;
  let rows = bufferView<array<vec4<u32>, 4>>(&params, 0);
  let tail = bufferView<Tail>(&all, id.y);
  tail.items[id.x] = part.m * vec2(part.weight, weight);
  tail.count += arrayLength(&tail.items) + rows[id.x].y;
  let list = bufferArrayView<array<f32>>(&all, 32, id.z);
  halve(list, id.x);
  *bufferView<vec3<f16>>(&all, 8) = vec3<f16>(1, 2, 3);
  bufferView<array<f16>>(&all, 0)[id.x] = *bufferView<f16>(&some, 2u) + f16(part.flags.x);
  *bufferView<array<u32, 32>>(&shared_bytes, 0) = array<u32, 32>();
  workgroupBarrier();
  let sum = workgroupUniformLoad(bufferView<u32>(&shared_bytes, 4));
  *bufferView<u32>(&all, 4) = sum + exactly(&shared_bytes) + least(&some) + length_of(&some) + length_of_all();
}

fn length_of_all() -> u32 {
  return bufferLength(&all) + bufferLength(&params);
}
