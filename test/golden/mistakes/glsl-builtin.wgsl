@compute @workgroup_size(64)
fn main() {
  let i = gl_GlobalInvocationID.x;
}
