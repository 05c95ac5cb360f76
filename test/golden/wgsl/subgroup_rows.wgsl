//! miscounted_subgroups
// A workgroup of several rows in one row, for a driver whose subgroups never reach into the next row.
enable subgroups;

@group(0) @binding(0) var<storage, read_write> result: array<vec4u>;

@compute @workgroup_size(2, 3, 4)
fn main(@builtin(local_invocation_index) index: u32, @builtin(local_invocation_id) id: vec3u,
        @builtin(global_invocation_id) place: vec3u) {
  result[index] = vec4u(id, quadSwapX(place.y));
}
