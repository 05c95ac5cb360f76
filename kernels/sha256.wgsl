// SPDX-License-Identifier: MIT
// SHA-256 of many messages of 64 bytes each.
//
// input   binding 0: messages, 64 bytes each, one after the other; a last incomplete one is left out
// output  binding 1: digests, 32 bytes each, one after the other, as far as the buffer goes
// params  none
// call    execute_kernel(Id, Messages, 1) uses half of the output; or ask for 32 bytes a message
//
// FIPS 180-4. A message is one block; a second block, the same for all, holds the padding and the length.

@group(0) @binding(0) var<storage, read> messages: array<Block>;
@group(0) @binding(1) var<storage, read_write> digests: array<State>;

alias State = array<u32, 8>;
alias Block = array<u32, 16>;

const initial = State(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);

const round_constants = array<u32, 64>(
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2);

fn swap_bytes(word: u32) -> u32 {
  return (word << 24u) | ((word << 8u) & 0xff0000u) | ((word >> 8u) & 0xff00u) | (word >> 24u);
}

fn rotate(word: u32, by: u32) -> u32 {
  return (word >> by) | (word << (32u - by));
}

fn compress(state: ptr<function, State>, block: ptr<function, Block>) {
  var s = *state;
  for (var i = 0u; i < 64u; i++) {
    // The message schedule, kept in a ring of 16 words.
    let slot = i & 15u;
    if i >= 16u {
      let w15 = (*block)[(i + 1u) & 15u];
      let w2 = (*block)[(i + 14u) & 15u];
      let low = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >> 3u);
      let high = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >> 10u);
      (*block)[slot] += low + (*block)[(i + 9u) & 15u] + high;
    }
    let e = s[4];
    let a = s[0];
    let choice = (e & s[5]) ^ (~e & s[6]);
    let majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
    let t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + round_constants[i] + (*block)[slot];
    let t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    s = State(t1 + t2, a, s[1], s[2], s[3] + t1, e, s[5], s[6]);
  }
  for (var i = 0u; i < 8u; i++) {
    (*state)[i] += s[i];
  }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let message = invocation.x;
  if message >= min(arrayLength(&messages), arrayLength(&digests)) {
    return;
  }
  var state = initial;
  var block = messages[message];
  for (var i = 0u; i < 16u; i++) {
    block[i] = swap_bytes(block[i]);
  }
  compress(&state, &block);
  var padding = Block();
  padding[0] = 0x80000000u;
  padding[15] = 512u;
  compress(&state, &padding);
  for (var i = 0u; i < 8u; i++) {
    digests[message][i] = swap_bytes(state[i]);
  }
}
