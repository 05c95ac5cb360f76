// Booleans and vectors of them; short circuits keep a call on the right from happening.
@group(0) @binding(0) var<storage, read_write> u: array<vec4<u32>>;
var<private> calls = 0u;

fn called(x: u32) -> bool {
  calls++;
  return x > 3;
}

@compute @workgroup_size(1)
fn main() {
  let a = u[0] < u[1];
  let b = u[0] >= vec4(3u);
  let c = (a & b) | (!a);
  if (all(c) || any(a != b)) {
    u[2] = select(u[0], u[1], c);
  }
  if (u[0].x == 1 && called(u[0].y)) {
    u[3].x = 1;
  }
  if (u[0].x == 1 || called(u[0].y)) {
    u[3].y = 1;
  }
  let p = ((u[0].x < 3) & (u[0].y > 4)) | (u[0].z != 0);
  u[4] = vec4(u32(p), select(3u, 4u, p), u32(!p), calls);
}
