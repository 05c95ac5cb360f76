//! expect: 318 7 -1
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  var c = 0u;
  loop {
    var k = 0u;
    loop {
      k++;
      if k > 3u { break; }
      continuing { c += k; }
    }
    c += 100u;
    if c > 300u { break; }
  }
  output[0]=c;
  var w = 0u;
  while true {
    w++;
    if w == 7u { break; }
  }
  output[1] = w;
  var z = 5;
  for (;;) {
    z--;
    if z < 0 { break; }
  }
  output[2] = bitcast<u32>(z);
}
