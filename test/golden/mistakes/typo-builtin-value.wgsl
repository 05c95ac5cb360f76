@compute @workgroup_size(64)
fn main(@builtin(global_invocation) id: vec3u) {}
