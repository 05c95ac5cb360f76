//! count_loops
// Each loop counts; the one with a barrier ends by the counter that is the same in all invocations.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> more: array<u32>;
var<workgroup> shared_count: u32;

fn forever(n: u32) -> u32 {
  loop {
    if (data[n] == 1) {
      return n;
    }
  }
}
fn twice(n: u32) -> u32 {
  return forever(n) + forever(n + 1);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) local: u32) {
  for (var i = 0u; i < 8; i++) {
    workgroupBarrier();
    if (local == i) {
      shared_count += twice(i);
    }
    workgroupBarrier();
  }
  more[local] = shared_count;
}
