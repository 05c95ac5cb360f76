//! workgroups: 100 1 1
//! expect: 6400 6399 -1 0 12800
@group(0) @binding(1) var<storage, read_write> output: array<atomic<u32>>;

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  atomicAdd(&output[0], 1u);
  atomicMax(&output[1], id.x);
  atomicOr(&output[2], 1u << (id.x % 32u));
  atomicXor(&output[3], id.x);
  loop {
    let o = atomicLoad(&output[4]);
    if atomicCompareExchangeWeak(&output[4], o, o + 2u).exchanged { break; }
  }
}
