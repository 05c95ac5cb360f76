//! buffer 0: 0
//! expect: 1 0 1 0 2 3 4 8
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<private> c: u32;

fn side(r: bool) -> bool {
  c++;
  return r;
}

@compute @workgroup_size(1) fn main() {
  let z = input[0];
  if z == 0u && side(true) { output[0] = 1u; }
  if z != 0u && side(true) { output[1] = 1u; }
  if z == 0u || side(true) { output[2] = 1u; }
  let x = (z != 0u || side(false)) && side(true);
  output[3] = select(0u,1u,x);
  output[4] = c;
  c = 0u;
  var i = 0u;
  while i < 5u && side(i != 3u) { i++; }
  output[5] = i;
  output[6] = c;
  c = 0u;
  for (var k = 0u; side(k < 2u) || side(k < 4u); k++) {}
  output[7] = c;
}
