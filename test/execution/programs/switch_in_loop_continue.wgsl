//! expect: 2105
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  var s = 0u;
  for (var i = 0u; i < 8u; i++) {
    switch i {
      case 1u { continue; }
      case 2u { break; }
      case 5u { s += 100u; }
      default {
        s += 1u;
        continue;
      }
    }
    s += 1000u;
  }
  output[0]=s;
}
