//! expect: 90
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  var s = 0u;
  var i = 0u;
  loop {
    let a = i * 2u;
    var b = a;
    if (i == 2u) { b = 50u; }
    i++;
    switch i {
      case 2u { continue; }
      default {}
    }
    s += 1u;
    continuing {
      s += a + b;
      break if i == 5u;
    }
  }
  output[0] = s;
}
