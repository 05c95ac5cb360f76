//! constants: n=5 7=9.5 b=1
//! expect: 5 9 1 10 -4 14
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
override n: u32 = 3;
@id(7) override m: f32;
override b: bool = false;
override d = n * 2u;
override e: i32 = -4;
var<workgroup> a: array<u32, n * 2u>;

@compute @workgroup_size(n) fn main(@builtin(local_invocation_index) i: u32) {
  a[i] = i;
  a[i + n] = 10u;
  workgroupBarrier();
  if i == 0u {
    output[0] = n;
    output[1] = u32(m);
    output[2] = select(0u, 1u, b);
    output[3] = d;
    output[4] = bitcast<u32>(e);
    output[5] = a[n - 1u] + a[2u * n - 1u];
  }
}
