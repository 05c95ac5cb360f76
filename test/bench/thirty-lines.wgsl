struct Params {
  size: vec2u,
  radius: i32,
  strength: f32,
}

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

fn pixel(at: vec2i) -> vec4f {
  let inside = clamp(at, vec2i(0), vec2i(params.size) - 1);
  return unpack4x8unorm(source[u32(inside.y) * params.size.x + u32(inside.x)]);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if any(id.xy >= params.size) { return; }
  let here = vec2i(id.xy);
  var sum = vec4f();
  for (var y = -params.radius; y <= params.radius; y++) {
    for (var x = -params.radius; x <= params.radius; x++) {
      sum += pixel(here + vec2i(x, y));
    }
  }
  let side = f32(2 * params.radius + 1);
  let mean = sum / (side * side);
  blurred[id.y * params.size.x + id.x] = pack4x8unorm(mix(pixel(here), mean, params.strength));
}
