// SPDX-License-Identifier: MIT
// The Mandelbrot set, coloured by how soon a point escapes.
//
// input   binding 0: as many bytes as the output; words 0 to 2 are f32: centre x, centre y, width of the view.
//         A width that is not above zero takes -0.75, 0 and 3.
// output  binding 1: RGBA8 pixels, row by row, one u32 each (red in the low byte); the set itself is black
// params  binding 2: width, height, iterations at most (0 counts as 256), unused
// call    execute_kernel_with_params(Id, Input, Params): one 16x16 workgroup a tile

@group(0) @binding(0) var<storage, read> view: array<f32>;
@group(0) @binding(1) var<storage, read_write> picture: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;

// How many steps z = z^2 + c stays within |z| <= 2, at most `limit`.
fn steps(c: vec2f, limit: u32) -> u32 {
  var z = vec2f();
  var n = 0u;
  while n < limit {
    let squares = z * z;
    if squares.x + squares.y > 4 {
      break;
    }
    z = vec2f(squares.x - squares.y, 2 * z.x * z.y) + c;
    n++;
  }
  return n;
}

// A smooth round trip through the colours.
fn shade(fraction: f32) -> vec4f {
  let phase = 6.2831853 * (fraction + vec3f(0.0, 0.33, 0.67));
  return vec4f(0.5 - 0.5 * cos(phase), 1);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let at = invocation.xy;
  let index = at.y * params.x + at.x;
  if any(at >= params.xy) || index >= arrayLength(&picture) {
    return;
  }
  var centre = vec2f(-0.75, 0);
  var width = 3f;
  if arrayLength(&view) > 2 && view[2] > 0 {
    centre = vec2f(view[0], view[1]);
    width = view[2];
  }
  let scale = width / f32(params.x);
  let c = centre + scale * (vec2f(at) + 0.5 - 0.5 * vec2f(params.xy));
  let limit = select(params.z, 256u, params.z == 0u);
  let n = steps(c, limit);
  var colour = vec4f(0, 0, 0, 1);
  if n < limit {
    colour = shade(sqrt(f32(n) / f32(limit)));
  }
  picture[index] = pack4x8unorm(colour);
}
