//! expect: 4 5 1000
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
fn f(n: u32) -> u32 {
  for (var i = 0u; ; i++) {
    loop {
      switch n + i {
        case 7u { return i; }
        case 100u { return 5u; }
        default { break; }
      }
      if true { break; }
    }
    if i > 20u { return 1000u; }
  }
}

@compute @workgroup_size(1) fn main() {
  output[0] = f(3u);
  output[1] = f(100u);
  output[2]=f(8u);
}
