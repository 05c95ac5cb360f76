//! expect: 2 1 2 2 50 0 15
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<private> log: u32;

fn idx(x: u32) -> u32 {
  log += 1u;
  return x;
}

fn add(p: ptr<private, u32>) {
  *p += 1u;
  *p += 1u;
}

fn addf(p: ptr<function, u32>) {
  *p += 1u;
  *p += 1u;
}
var<private> a: array<u32, 4>;

@compute @workgroup_size(1) fn main() {
  add(&a[idx(2u)]);
  output[0] = a[2];
  output[1] = log;
  var b = array<u32,4>();
  addf(&b[idx(1u)]);
  output[2]=b[1];
  output[3]=log;
  var i = 1u;
  let p = &b[i];
  i = 3u;
  *p = 50u;
  output[4] = b[1];
  output[5]=b[3];
  for (var k = 0u; k < 2u; k++) {
    let q = &a[k];
    *q = 7u + k;
  }
  output[6] = a[0]+a[1];
}
