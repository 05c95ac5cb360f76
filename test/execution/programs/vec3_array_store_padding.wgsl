//! buffer 2: 16 zeros
//! expect: 93 92 91 90
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> a: array<vec3<u32>>;

@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  a[i] = vec3(i);
  a[i].y = 9u;
  storageBarrier();
  output[i] = a[3u - i].x + a[3u-i].y * 10u;
}
