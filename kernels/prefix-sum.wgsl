// SPDX-License-Identifier: MIT
// Inclusive prefix sum of 32-bit words, modulo 2^32.
//
// input   binding 0: u32 words, any number
// output  binding 1: u32 words; word i is the sum of input words 0 to i. Words past the input's end stay zero.
// params  none
// call    execute_kernel(Id, Input, 1)
//
// Within a dispatch no workgroup may wait for another, so the first workgroup does all of it, 1024 words at a
// time: four neighbours a lane, then a scan over the lanes in log2(256) steps, then the carry of the words before.

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

const lanes = 256u;
const each = 4u;

var<workgroup> scanned: array<u32, lanes>;

@compute @workgroup_size(lanes)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  if any(group != vec3u()) {
    return;
  }
  let count = min(arrayLength(&words), arrayLength(&sums));
  var carry = 0u;
  for (var tile = 0u; tile < count; tile += lanes * each) {
    let first = tile + lane * each;
    var run: array<u32, each>;
    var sum = 0u;
    for (var i = 0u; i < each; i++) {
      if first + i < count {
        sum += words[first + i];
      }
      run[i] = sum;
    }
    scanned[lane] = sum;
    workgroupBarrier();
    for (var reach = 1u; reach < lanes; reach *= 2) {
      var before = 0u;
      if lane >= reach {
        before = scanned[lane - reach];
      }
      workgroupBarrier();
      scanned[lane] += before;
      workgroupBarrier();
    }
    let offset = carry + scanned[lane] - sum;
    for (var i = 0u; i < each; i++) {
      if first + i < count {
        sums[first + i] = offset + run[i];
      }
    }
    carry += scanned[lanes - 1];
    workgroupBarrier();  // scanned has been read by all before the next tile writes it
  }
}
