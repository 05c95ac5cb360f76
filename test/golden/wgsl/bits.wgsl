@group(0) @binding(0) var<storage, read_write> i: array<vec3<i32>>;
@group(0) @binding(1) var<storage, read_write> u: array<vec3<u32>>;

@compute @workgroup_size(1)
fn main() {
  let a = i[0];
  let b = u[0];
  i[1] = countLeadingZeros(a) + countTrailingZeros(a) + countOneBits(a);
  u[1] = countLeadingZeros(b) + countTrailingZeros(b) + countOneBits(b);
  i[2] = firstLeadingBit(a) + firstTrailingBit(a) + reverseBits(a);
  u[2] = firstLeadingBit(b) + firstTrailingBit(b) + reverseBits(b);
  i[3] = extractBits(a, b.x, b.y) + insertBits(a, i[2], b.y, b.z);
  u[3] = extractBits(b, b.x, b.y) + insertBits(b, u[2], b.y, b.z);
  i[4] = vec3(extractBits(a.x, 4, 8), insertBits(a.x, a.y, 4, 8), dot(a, i[2]));
  i[5] = abs(a) + sign(a) + clamp(a, i[1], i[2]) + min(a, i[3]) + max(a, i[4]);
  u[4] = abs(b) + clamp(b, u[1], u[2]) + vec3(dot(b, b));
}
