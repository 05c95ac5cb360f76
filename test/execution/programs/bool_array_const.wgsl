//! expect: 1 0 0 1
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
const a = array(vec2<bool>(true,false), vec2<bool>(false,true));

@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 2u; i++) {
    let v = select(vec2<u32>(0u), vec2<u32>(1u), a[i]);
    output[i*2u] = v.x;
    output[i*2u+1u] = v.y;
  }
}
