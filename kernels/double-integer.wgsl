// SPDX-License-Identifier: MIT
// Doubles every 32-bit word, modulo 2^32.
//
// input   binding 0: u32 words
// output  binding 1: u32 words; word i is 2 * input word i. Words past the input's end stay zero.
// params  none
// call    execute_kernel(Id, Input, 1): one invocation a word

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let word = invocation.x;
  if word < min(arrayLength(&source), arrayLength(&doubled)) {
    doubled[word] = source[word] << 1u;
  }
}
