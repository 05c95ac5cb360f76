//! expect: 180 5 3 1
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  let i = 5u;
  var s = 0u;
  for (var i = i; i < 8u; i++) {
    let s2 = i;
    {
      let i = s2 * 10u;
      s += i;
    }
  }
  output[0] = s;
  output[1] = i;
  var x = 1u;
  {
    var x = x + 1u;
    x++;
    output[2] = x;
  }
  output[3] = x;
  if true {
    let output = 3u;
    _ = output;
  }
}
