//! expect: 3
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
fn f(p: ptr<private, u32>) -> u32 {
  *p += 1u;
  return 3u;
}
var<private> c: u32;

@compute @workgroup_size(1) fn main() {
  _ = f(&c);
  _ = f(&c) + f(&c);
  output[0] = c;
  _ = &output;
  _ = output[0];
  _ = c;
}
