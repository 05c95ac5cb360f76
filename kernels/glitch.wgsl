// SPDX-License-Identifier: MIT
// Glitches a picture: torn bands, blocks copied from elsewhere at four sizes, split colours, stray pixels.
//
// input   binding 0: RGBA8 pixels, row by row, one u32 each (red in the low byte)
// output  binding 1: the same size and layout
// params  binding 2: width, height, side of the smallest block in pixels (0 counts as 16), unused
// call    execute_kernel_with_params(Id, Pixels, Params): one 16x16 workgroup a tile
//
// The damage depends on the position alone, so the same call always gives the same bytes. Every channel of
// the output is a channel of some input pixel or its complement.

@group(0) @binding(0) var<storage, read> intact: array<u32>;
@group(0) @binding(1) var<storage, read_write> broken: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;

// What each layer is decided by, so that layers do not repeat each other's pattern.
const salt_tear = 1u;
const salt_block = 2u;
const salt_split = 7u;
const salt_stray = 8u;

// PCG output permutation: a well mixed word from any word.
fn mixed(word: u32) -> u32 {
  let state = word * 747796405u + 2891336453u;
  let folded = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (folded >> 22u) ^ folded;
}

fn noise(cell: vec2u, salt: u32) -> u32 {
  return mixed(cell.x ^ mixed(cell.y ^ mixed(salt)));
}

// True with a chance of `in_256` / 256, by the word's low byte.
fn lucky(word: u32, in_256: u32) -> bool {
  return (word & 255u) < in_256;
}

// A word's upper bits spread over [0, range).
fn pick(word: u32, range: u32) -> u32 {
  return (word >> 8u) % max(range, 1u);
}

fn pixel(at: vec2u) -> u32 {
  let index = (at.y % params.y) * params.x + at.x % params.x;
  return intact[min(index, arrayLength(&intact) - 1)];
}

// Layer 1: whole bands of rows slide sideways and wrap around.
fn tear(at: vec2u, block: u32) -> vec2u {
  let word = noise(vec2u(0, at.y / (block * 3)), salt_tear);
  if lucky(word, 70) {
    return vec2u(at.x + pick(word, params.x), at.y);
  }
  return at;
}

// Layer 2: blocks, from eight times the base size down to it; the first that is hit decides.
fn displace(at: vec2u, block: u32) -> vec2u {
  for (var level = 0u; level < 4u; level++) {
    let edge = block << (3u - level);
    let cell = at / edge;
    let word = noise(cell, salt_block + level);
    if lucky(word, 24u + 12u * level) {
      let far = vec2u(pick(word, params.x), pick(mixed(word), params.y));
      return far + at % edge;
    }
  }
  return at;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let at = invocation.xy;
  if any(at >= params.xy) {
    return;
  }
  let index = at.y * params.x + at.x;
  if index >= arrayLength(&broken) {
    return;
  }
  let block = min(select(params.z, 16u, params.z == 0u), 65536u);
  let source = displace(tear(at, block), block);
  var colour = pixel(source);

  // Layer 3: in some cells red comes from the left and blue from the right.
  let split = noise(at / vec2u(block * 6, block), salt_split);
  if lucky(split, 60) {
    let reach = 1 + pick(split, block);
    let red = pixel(vec2u(source.x + params.x - min(reach, params.x), source.y));
    let blue = pixel(vec2u(source.x + reach, source.y));
    colour = (colour & 0xff00ff00u) | (red & 0xffu) | (blue & 0xff0000u);
  }

  // Layer 4: stray pixels are inverted, alpha excepted.
  let stray = noise(at, salt_stray);
  if lucky(stray, 1) {
    colour ^= 0x00ffffffu;
  }
  broken[index] = colour;
}
