struct Varying {
  @builtin(position) @invariant at: vec4<f32>,
  @location(0) @interpolate(flat, either) id: u32,
  @location(1) @interpolate(perspective, centroid) uv: vec2<f32>,
}
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var reader: sampler;
@group(0) @binding(2) var target_image: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var depth: texture_depth_2d_array;
@group(0) @binding(4) var comparison: sampler_comparison;
@vertex fn vertex_main(@builtin(vertex_index) i: u32, @location(0) in: vec3<f32>) -> Varying {
  var out: Varying;
  out.at = vec4(in, f32(i));
  out.uv = in.xy;
  return out;
}
@fragment fn fragment_main(in: Varying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
  if in.id == 3u && !front { discard; }
  let a = textureSample(image, reader, in.uv + dpdx(in.uv));
  let b = textureGather(1, image, reader, in.uv, vec2(1, -1));
  let c = textureSampleCompareLevel(depth, comparison, in.uv, 1, 0.5);
  return select(a, b, a < b) * c + textureLoad(image, vec2<u32>(in.at.xy), 0);
}
@compute @workgroup_size(1) fn compute_main() {
  textureStore(target_image, vec2(0u), vec4(1.0));
}
