// SPDX-License-Identifier: MIT
// Matrix product C = A * B in f32, all three row by row.
//
// input   binding 0: A (height x depth), then B (depth x width), f32
// output  binding 1: C (height x width) in its first words, as far as the buffer goes; the rest stays as it was
// params  binding 2: width and height of C, depth (columns of A, rows of B), unused
// call    execute_kernel_with_params(Id, A_and_B, Params): one 16x16 workgroup a tile of C
//
// A workgroup walks along the depth, 16 at a time, with the tiles of A and B that it needs in its own memory.

@group(0) @binding(0) var<storage, read> factors: array<f32>;
@group(0) @binding(1) var<storage, read_write> product: array<f32>;
@group(0) @binding(2) var<uniform> params: vec4u;

const side = 16u;

var<workgroup> tile_a: array<array<f32, side>, side>;
var<workgroup> tile_b: array<array<f32, side>, side>;

fn a(row: u32, column: u32) -> f32 {
  if row >= params.y || column >= params.z {
    return 0;
  }
  return factors[row * params.z + column];
}

fn b(row: u32, column: u32) -> f32 {
  if row >= params.z || column >= params.x {
    return 0;
  }
  return factors[params.y * params.z + row * params.x + column];
}

@compute @workgroup_size(side, side)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(global_invocation_id) cell: vec3u) {
  var sum = 0f;
  for (var base = 0u; base < params.z; base += side) {
    tile_a[local.y][local.x] = a(cell.y, base + local.x);
    tile_b[local.y][local.x] = b(base + local.y, cell.x);
    workgroupBarrier();
    for (var k = 0u; k < side; k++) {
      sum = fma(tile_a[local.y][k], tile_b[k][local.x], sum);
    }
    workgroupBarrier();
  }
  let index = cell.y * params.x + cell.x;
  if all(cell.xy < params.xy) && index < arrayLength(&product) {
    product[index] = sum;
  }
}
