//! workgroups: 70000 2 1
//! expect: 140000 69999 70000 1
@group(0) @binding(1) var<storage, read_write> output: array<atomic<u32>>;

@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(num_workgroups) nw: vec3<u32>) {
  atomicAdd(&output[0], 1u);
  atomicMax(&output[1], g.x);
  atomicMax(&output[2], nw.x);
  atomicMax(&output[3], g.y);
}
