// Names that GLSL keeps for itself.
struct vec {
  float: u32,
  gl_Position: u32,
  _inner: u32,
}
@group(0) @binding(0) var<storage, read_write> uniform_: vec;
var<private> gl_WorkGroupID: u32;

fn main_(input: u32, größe: u32) -> u32 {
  let double = input + größe;
  {
    let double = double * 2;
    gl_WorkGroupID = double;
  }
  return double;
}
fn kem_divide(texture2D: u32) -> u32 {
  var sampler_ = texture2D;
  sampler_ /= uniform_.float;
  return sampler_;
}

@compute @workgroup_size(1)
fn mix() {
  uniform_.float = main_(uniform_.gl_Position, uniform_._inner);
  uniform_.gl_Position = kem_divide(gl_WorkGroupID);
}
