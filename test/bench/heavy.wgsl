// Arithmetic for as long as the params say: what a call costs that the device has something to do for.
struct Params { width: u32, height: u32, rounds: u32, unused: u32 }
@group(0) @binding(0) var<storage, read> seeds: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  var word = seeds[id.x % arrayLength(&seeds)] + id.x;
  for (var n = 0u; n < params.rounds; n++) { word = word * 1664525u + 1013904223u; }
  if id.x < arrayLength(&out) { out[id.x] = word; }
}
