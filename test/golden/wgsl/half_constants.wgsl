// Constants that hold halves, in functions where nothing else does.
enable f16;

struct Mixed {
  count: i32,
  part: f16,
  rest: vec4i,
}

@group(0) @binding(0) var<storage, read_write> result: vec4i;

@compute @workgroup_size(1)
fn main() {
  let mixed = Mixed(1, 2h, vec4i(3));
  let split = frexp(1.5h);
  result = mixed.rest + split.exp;
}
