// SPDX-License-Identifier: MIT
// Counts how often each byte value occurs.
//
// input   binding 0: bytes, four to a u32; padding to a multiple of four counts as zeros
// output  binding 1: 256 u32 counts (1024 bytes), added to what is there
// params  none
// call    any number of workgroups along x does; 1024 output bytes and one workgroup, or more for a large input
//
// A workgroup counts in its own memory first, so that the buffer sees one atomic add per value and workgroup.

@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;

const lanes = 256u;

var<workgroup> own: array<atomic<u32>, 256>;

@compute @workgroup_size(lanes)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) invocation: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  for (var i = invocation.x; i < arrayLength(&bytes); i += groups.x * lanes) {
    let four = bytes[i];
    atomicAdd(&own[four & 255u], 1);
    atomicAdd(&own[(four >> 8u) & 255u], 1);
    atomicAdd(&own[(four >> 16u) & 255u], 1);
    atomicAdd(&own[four >> 24u], 1);
  }
  workgroupBarrier();
  let found = atomicLoad(&own[lane]);
  if found != 0 && lane < arrayLength(&counts) {
    atomicAdd(&counts[lane], found);
  }
}
