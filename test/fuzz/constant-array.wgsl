// A constant of more components than OpConstantComposite can take, indexed at run time.
const c = array<u32, 65535>();
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = c[o[1]]; }
