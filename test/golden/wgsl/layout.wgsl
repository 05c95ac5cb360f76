// Structures whose @align and @size ask for more than std430 gives have padding in buffers, none elsewhere.
struct Inner {
  @size(16) a: u32,
  @align(32) b: vec2<f32>,
}
struct Outer {
  head: vec3<f32>,
  tag: u32,
  list: array<Inner, 3>,
  @align(64) m: mat3x2<f32>,
}
struct Natural {
  a: u32,
  b: vec3<f32>,
  c: mat3x3<f32>,
  d: array<vec2<u32>, 3>,
}
@group(0) @binding(0) var<storage, read_write> outer: array<Outer>;
@group(0) @binding(1) var<storage, read_write> natural: Natural;
var<private> copy: Outer;

@compute @workgroup_size(1)
fn main() {
  copy = outer[1];
  copy.list[2].b.y = 3;
  let i = copy.tag;
  copy.list[i] = outer[0].list[i];
  outer[i] = copy;
  outer[2].list[1] = Inner(1, vec2(2, 3));
  outer[3].list = copy.list;
  var n = natural;
  n.b = copy.head;
  natural = n;
}
