//! expect: 4095 0
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
var<workgroup> a: array<u32, 4096>;

@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 4096u; i++) { a[i] += i; }
  output[0] = a[4095] + a[output[1]];
}
