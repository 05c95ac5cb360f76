// One word a workgroup: 1 + its linear index in the whole grid. Every workgroup adds, so a second run of one shows.
#version 460
layout(local_size_x = 1) in;
layout(push_constant, std430) uniform Job { uvec4 base; uvec4 count; } job;
layout(set = 0, binding = 0, std430) buffer Output { uint b[]; };
void main() {
  uvec3 id = gl_WorkGroupID + job.base.xyz;
  uint i = id.x + job.count.x * (id.y + job.count.y * id.z);
  if (i < uint(b.length())) atomicAdd(b[i], i + 1u);
}
