//! expect: 724 9
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  var i = 0u;
  var s = 0u;
  loop {
    if i == 3u {
      i += 2u;
      continue;
    }
    s += i;
    continuing {
      let j = i + 1u;
      i = j;
      s += 100u;
      break if i > 8u;
    }
  }
  output[0]=s;
  output[1]=i;
}
