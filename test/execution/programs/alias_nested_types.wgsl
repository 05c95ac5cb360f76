//! expect: 7 4
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
alias A = array<vec2<f32>, 2>;
alias B = array<A, 3>;

struct Q { b: B }
var<private> q: Q;

fn f(b: B) -> A { return b[1]; }

@compute @workgroup_size(1) fn main() {
  q.b[1][0] = vec2(3.0, 4.0);
  let r = f(q.b);
  output[0] = u32(r[0].x + r[0].y + r[1].x);
  var z = q.b;
  z[2] = z[1];
  q.b = z;
  output[1] = u32(q.b[2][0].y);
}
