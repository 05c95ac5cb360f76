enable f16;
struct Halves {
  a: f16,
  b: vec3<f16>,
  m: mat2x3<f16>,
  @align(8) c: f16,
  @size(6) d: f16,
  e: f16,
}
@group(0) @binding(0) var<storage, read_write> h: array<Halves>;
@group(0) @binding(1) var<storage, read_write> u: array<vec2<u32>>;

@compute @workgroup_size(1)
fn main() {
  let x = h[0];
  h[1].b = x.b * x.a + sqrt(x.b) % vec3(2.5h) + vec3<f16>(vec3<f32>(x.b));
  h[1] = x;
  u[0] = bitcast<vec2<u32>>(vec4(x.b, 1));
  u[1] = vec2(u32(x.c), bitcast<u32>(x.b.xy));
  h[2].b = bitcast<vec4<f16>>(u[2]).xyz + smoothstep(x.b, h[1].b, vec3(65504h));
  h[2].m = h[1].m * 2;
  u[3].x = u32(i32(x.d));
}
