override scale: f32 = 1.5;
override count = 4u;
const table = array(1.0, 2.5, -3.25, 3.4028234e+38);
const nested = array(array(1, 2), array(3, -2147483648));
struct Point {
  at: vec2<f32>,
  id: u32,
}
const points = array(Point(vec2(1, 2), 7), Point());
var<private> seed = 0x9E3779B9u;
var<private> buffer: array<u32, 300>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(count, 2)
fn main(@builtin(local_invocation_index) local: u32) {
  var zeros: array<Point, 20>;
  zeros[local] = points[local % 2];
  let m = mat2x3<f32>() * 2 + mat2x3<f32>(vec3(1, 2, 3), vec3(4, 5, 6));
  out[local] = table[local] * scale + f32(nested[1][local % 2]) + zeros[local / 2].at.y;
  buffer[local] = seed;
  out[local + 1] = f32(buffer[local]) + m[local][1] + 1e-40 + 0.1 + 16777216;
}
