// A value read before a side effect is kept as it was.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<private> state = 1u;

fn next() -> u32 {
  state = state * 5 + 1;
  return state;
}

@compute @workgroup_size(1)
fn main() {
  let before = state;
  data[0] = state + next() + state;
  data[next() % 4] = data[1] + before;
  var x = data[2];
  let old = x;
  x += 1;
  data[x] = old * next() - x;
  let i = data[3];
  let p = &data[i];
  data[3] = 0;
  *p = i;
}
