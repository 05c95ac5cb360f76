//! expect: 4321 32 43 4 5
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1) fn main() {
  let z = output[0];
  var v = vec4(1u,2u,3u,4u) + z;
  let a = v.wzyx;
  let b = v.rgb.bg;
  let c = (v.xxyy + a).zw;
  output[0] = a.x*1000u+a.y*100u+a.z*10u+a.w;
  output[1] = b.x*10u+b.y;
  output[2]=c.x*10u+c.y;
  output[3] = vec4(v.zw, v.yx).y;
  output[4] = vec3(1u, vec2(z+5u)).z;
}
