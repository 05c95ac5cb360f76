//! miscounted_subgroups
// subgroup_id and num_subgroups for a driver whose own are wrong.
enable subgroups;
requires subgroup_id;

@group(0) @binding(0) var<storage, read_write> result: array<vec2u>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) index: u32, @builtin(subgroup_id) id: u32,
        @builtin(num_subgroups) count: u32) {
  result[index] = vec2u(id, count);
}
