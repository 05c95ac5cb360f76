// SPDX-License-Identifier: MIT
// Pixelizes a picture: every square block of it takes the mean colour of its pixels.
//
// input   binding 0: RGBA8 pixels, row by row, one u32 each (red in the low byte)
// output  binding 1: the same size and layout
// params  binding 2: width, height, block's side in pixels (0 counts as 1: a plain copy), unused
// call    execute_kernel_with_params(Id, Pixels, Params): one 16x16 workgroup a tile
//
// Means are rounded down, channel by channel, alpha too; blocks are cut at the right and lower edges.
// A block of 16 or more is summed by a whole workgroup together: its tile then touches at most four blocks.
// Blocks wider than 4096 take every second, third ... pixel, so that 32-bit sums can't overflow.

@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;

const side = 16u;
const lanes = side * side;

var<workgroup> partial: array<vec4u, lanes>;

fn channels(at: vec2u) -> vec4u {
  let index = at.y * params.x + at.x;
  if index >= arrayLength(&picture) {
    return vec4u();
  }
  return (vec4u(picture[index]) >> vec4u(0, 8, 16, 24)) & vec4u(255);
}

fn packed(colour: vec4u) -> u32 {
  let placed = colour << vec4u(0, 8, 16, 24);
  return placed.r | placed.g | placed.b | placed.a;
}

// Sums the pixels that this lane of `stride` lanes takes of the block from `low` up to, not including, `high`.
fn sum_share(low: vec2u, high: vec2u, step: u32, lane: u32, stride: u32) -> vec4u {
  let across = (high.x - low.x + step - 1) / step;
  let count = across * ((high.y - low.y + step - 1) / step);
  var sum = vec4u();
  for (var i = lane; i < count; i += stride) {
    sum += channels(low + step * vec2u(i % across, i / across));
  }
  return sum;
}

fn mean(sum: vec4u, low: vec2u, high: vec2u, step: u32) -> vec4u {
  let samples = (high - low + vec2u(step - 1)) / step;
  return sum / (samples.x * samples.y);
}

@compute @workgroup_size(side, side)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) lane: u32) {
  let size = params.xy;
  let tile = group.xy * side;
  if any(tile >= size) {
    return;  // the whole workgroup is outside
  }
  let block = clamp(params.z, 1u, max(size.x, size.y));
  let step = (block + 4095) / 4096;
  let here = tile + local.xy;
  let inside = all(here < size);
  var colour = vec4u();

  if block < side {
    if inside {
      let low = here / block * block;
      let high = min(low + block, size);
      colour = mean(sum_share(low, high, step, 0, 1), low, high, step);
    }
  } else {
    let first = tile / block;
    let last = (min(tile + side, size) - 1) / block;
    for (var y = first.y; y <= last.y; y++) {
      for (var x = first.x; x <= last.x; x++) {
        let low = vec2u(x, y) * block;
        let high = min(low + block, size);
        partial[lane] = sum_share(low, high, step, lane, lanes);
        for (var half = lanes / 2; half > 0; half /= 2) {
          workgroupBarrier();
          if lane < half {
            partial[lane] += partial[lane + half];
          }
        }
        workgroupBarrier();
        if all(here / block == vec2u(x, y)) {
          colour = mean(partial[0], low, high, step);
        }
        workgroupBarrier();  // partial[0] has been read by all before the next block is summed
      }
    }
  }

  let index = here.y * size.x + here.x;
  if inside && index < arrayLength(&blocks) {
    blocks[index] = packed(colour);
  }
}
