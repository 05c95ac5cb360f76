// SPDX-License-Identifier: MIT
// Sums 32-bit words, modulo 2^32.
//
// input   binding 0: u32 words, any number
// output  binding 1: u32 words; word 0 is the sum, the others stay as they were
// params  none
// call    any number of workgroups along x does: execute_kernel(Id, Input, 1), or 4 output bytes and one workgroup
//
// Each invocation sums a strided share, a workgroup joins its shares in a tree, and one atomic add per workgroup
// joins the workgroups.

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> total: array<atomic<u32>>;

const lanes = 256u;

var<workgroup> share: array<u32, lanes>;

@compute @workgroup_size(lanes)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) invocation: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let stride = groups.x * lanes;
  var sum = 0u;
  for (var i = invocation.x; i < arrayLength(&words); i += stride) {
    sum += words[i];
  }
  share[lane] = sum;
  for (var half = lanes / 2; half > 0; half /= 2) {
    workgroupBarrier();
    if lane < half {
      share[lane] += share[lane + half];
    }
  }
  if lane == 0 {
    atomicAdd(&total[0], share[0]);
  }
}
