// SPDX-License-Identifier: MIT
// A landscape as a camera might see it: evening sky, sun, ridges fading into haze, a lake with ripples, film grain.
// The picture that `make demo` glitches and pixelizes.
//
// input   binding 0: as many bytes as the output; not read beyond its length
// output  binding 1: RGBA8 pixels, row by row, one u32 each (red in the low byte)
// params  binding 2: width, height, seed, unused
// call    execute_kernel_with_params(Id, Input, Params): one 16x16 workgroup a tile

@group(0) @binding(0) var<storage, read> blank: array<u32>;
@group(0) @binding(1) var<storage, read_write> picture: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;

const horizon = 0.62;
const sun = vec2f(0.68, 0.24);
const haze = vec3f(0.93, 0.66, 0.52);

fn scramble(value: u32) -> u32 {
  var word = value;
  word = (word ^ (word >> 16u)) * 0x21f0aaadu;
  word = (word ^ (word >> 15u)) * 0xd35a2d97u;
  return word ^ (word >> 15u);
}

// A number in [0, 1) for a lattice point.
fn lattice(at: vec2i, salt: u32) -> f32 {
  let word = scramble(u32(at.x) + scramble(u32(at.y) + scramble(salt + params.z)));
  return f32(word >> 8u) / 16777216;
}

// Value noise, smooth between lattice points.
fn smooth_noise(at: vec2f, salt: u32) -> f32 {
  let cell = vec2i(floor(at));
  let within = fract(at);
  let ease = within * within * (3 - 2 * within);
  let upper = mix(lattice(cell, salt), lattice(cell + vec2i(1, 0), salt), ease.x);
  let lower = mix(lattice(cell + vec2i(0, 1), salt), lattice(cell + vec2i(1, 1), salt), ease.x);
  return mix(upper, lower, ease.y);
}

// Several octaves of it, in [0, 1).
fn fractal(at: vec2f, octaves: u32, salt: u32) -> f32 {
  var sum = 0f;
  var weight = 0.5;
  var point = at;
  for (var i = 0u; i < octaves; i++) {
    sum += weight * smooth_noise(point, salt + i);
    weight *= 0.5;
    point *= 2.03;
  }
  return sum;
}

fn sky(at: vec2f, aspect: f32) -> vec3f {
  let height = saturate(at.y / horizon);
  var colour = mix(vec3f(0.16, 0.24, 0.47), haze, pow(height, 1.6));
  let apart = length((at - sun) * vec2f(aspect, 1));
  colour += vec3f(1.0, 0.72, 0.38) * 0.35 * exp(-5 * apart);
  colour = mix(colour, vec3f(1.0, 0.95, 0.8), 1 - smoothstep(0.042, 0.047, apart));
  let cloud = fractal(vec2f(at.x * 3 * aspect, at.y * 11), 5, 11);
  let cover = smoothstep(0.48, 0.72, cloud) * (1 - 0.5 * height);
  return mix(colour, vec3f(1.0, 0.83, 0.75), 0.7 * cover);
}

// Sky and land above the water line.
fn scene(at: vec2f, aspect: f32) -> vec3f {
  var colour = sky(at, aspect);
  for (var ridge = 0u; ridge < 4u; ridge++) {
    let near = f32(ridge) / 3;
    let across = at.x * aspect * mix(2.2, 3.4, near) + 7.3 * f32(ridge);
    let top = mix(0.34, 0.56, near) + mix(0.2, 0.09, near) * (0.5 - fractal(vec2f(across, 0.5), 6, 31 + 7 * ridge));
    if at.y > top {
      let grain = fractal(at * vec2f(60 * aspect, 90), 3, 61 + ridge);
      let rock = mix(vec3f(0.36, 0.33, 0.42), vec3f(0.07, 0.12, 0.1), near) * (0.7 + 0.6 * grain);
      colour = mix(rock, haze, 0.62 * (1 - near) * (1 - near) + 0.1 * saturate((at.y - top) * 3));
    }
  }
  return colour;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let pixel = invocation.xy;
  let index = pixel.y * params.x + pixel.x;
  if any(pixel >= params.xy) || index >= min(arrayLength(&picture), arrayLength(&blank)) {
    return;
  }
  let aspect = f32(params.x) / f32(params.y);
  let at = (vec2f(pixel) + 0.5) / vec2f(params.xy);
  var colour: vec3f;
  if at.y < horizon {
    colour = scene(at, aspect);
  } else {
    let depth = (at.y - horizon) / (1 - horizon);
    let ripple = fractal(vec2f(at.x * 18 * aspect, 14 / (0.06 + depth)), 3, 91) - 0.44;
    let mirrored = vec2f(at.x + 0.02 * ripple, horizon - 0.85 * (at.y - horizon) + 0.05 * ripple * (0.3 + depth));
    colour = scene(clamp(mirrored, vec2f(0), vec2f(1)), aspect) * mix(0.85, 0.5, depth);
    colour += vec3f(0.02, 0.04, 0.06);
  }
  let corner = at - 0.5;
  colour *= 1 - 0.5 * dot(corner, corner);
  colour += 0.03 * (lattice(vec2i(pixel), 101) - 0.5);
  picture[index] = pack4x8unorm(vec4f(colour, 1));
}
