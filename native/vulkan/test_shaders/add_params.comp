#version 460
layout(local_size_x = 64) in;
layout(push_constant, std430) uniform Job { uvec4 base; uvec4 count; } job;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint a[]; };
layout(set = 0, binding = 1, std430) buffer Output { uint b[]; };
layout(set = 0, binding = 2, std140) uniform Params { uvec4 addend; } params;
void main() {
  uint i = (gl_WorkGroupID.x + job.base.x) * 64u + gl_LocalInvocationID.x;
  if (i < uint(b.length())) b[i] = a[i] + params.addend[i % 4u];
}
