//! expect: 20 10 10 20 30 20 11 1
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
fn f(x: i32) -> u32 {
  switch x {
    case 1, 2: { return 10u; }
    case 3, default: { return 20u; }
    case 4: {
      if x == 4 { break; }
      return 99u;
    }
  }
  return 30u;
}

fn g(x: u32) -> u32 {
  var r = 0u;
  switch x {
    default: { r = 1u; }
  }
  switch (x & 1u) {
    case 0u { r += 10u; }
    default {}
  }
  return r;
}

@compute @workgroup_size(1) fn main() {
  for (var i = 0; i < 6; i++) { output[i] = f(i); }
  output[6]=g(2);
  output[7]=g(3);
}
