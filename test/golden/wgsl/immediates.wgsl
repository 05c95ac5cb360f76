// A var<immediate> stands in the push constants behind the dispatch's own words.
enable f16;
struct Inner {
  a: f32,
  @align(16) b: vec3<u32>,
}
struct Immediates {
  scale: f32,
  h: f16,
  m: mat2x2<f32>,
  @size(8) n: u32,
  inner: Inner,
}
var<immediate> immediates: Immediates;
var<immediate> unused: vec4<u32>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

fn first(p: ptr<immediate, vec3<u32>>, i: u32) -> u32 {
  return p[i] + (*p).z;
}

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let whole = immediates;
  let column = immediates.m[id.x];
  out[id.x] = whole.scale * f32(immediates.h) + column[id.x % 2] + f32(first(&immediates.inner.b, id.x));
  out[id.x] += whole.inner.a + f32(whole.n);
}
