enable f16;
requires packed_4x8_integer_dot_product;
override width: u32 = 4;
@id(7) override scale: f32;
override half_scale: f16 = 0.5h;
override flag = width > 2 && scale != 0;
const table = array(vec2(1, 2), vec2(3, 4));
const_assert table[1].y == 4 && (dot4U8Packed(0x01020304u, 0x01010101u) == 10u);
const deep = mat2x2(1.0, 0, 0, 1) * vec2(0x1p-3, 1e3);
alias Row = array<f32, width * 2>;
var<workgroup> row: Row;
var<private> seed: vec2<u32> = vec2(1, 0xffffffff);
@group(0) @binding(0) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(width, 1 + 1) fn main(@builtin(local_invocation_index) i: u32) {
  const step = select(1, 2, 3 < 4) << 1u;
  row[i] = scale * f32(half_scale);
  workgroupBarrier();
  switch i { case step, step + 1: { o[i] = row[width - 1]; } case 0xfu, default: { o[0] = f32(seed.x); } }
  if flag { o[1] = frexp(1.5).fract + modf(deep.x).whole + ldexp(1.0, -126); }
}
