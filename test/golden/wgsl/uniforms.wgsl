struct Params {
  size: vec2<u32>,
  scale: f32,
  offset: vec3<f32>,
  table: array<vec4<u32>, 4>,
  @align(16) inner: Pair,
}
struct Pair {
  a: f32,
  b: vec2<i32>,
}
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<uniform> m: mat4x4<f32>;
@group(1) @binding(0) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (any(id.xy >= params.size)) {
    return;
  }
  let p = params.inner;
  let all = params;
  out[id.x] = m * vec4(params.offset * params.scale, p.a + f32(p.b.y)) + vec4<f32>(all.table[id.y]);
}
