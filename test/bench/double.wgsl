// Doubles words: the smallest work there is, so that what is measured is everything around it. The same text for kem and
// its peers; WebGPU's limit of 65,535 workgroups along x is theirs to keep to, so the groups may lie in rows.
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let word = (group.y * groups.x + group.x) * 256u + lane;
  if word < arrayLength(&doubled) { doubled[word] = source[word] * 2u; }
}
