//! count_loops
// The loop with a barrier counts before it begins, with the short one in it, and by the counter that is the same in
// all invocations. The endless one, entered by some and twice, counts each time, for all that it may stand for.
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
  for (var i = 0u; i < arrayLength(&more); i++) {
    for (var k = 0u; k < 3; k++) {
      more[k] = i;
    }
    workgroupBarrier();
    if (local == i) {
      shared_count += twice(i);
    }
    workgroupBarrier();
  }
  more[local] = shared_count;
}
