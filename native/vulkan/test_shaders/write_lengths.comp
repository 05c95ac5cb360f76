// Word 0: the buffer's length in words; word 1: words that were not zero before. The rest stays as it was.
#version 460
layout(local_size_x = 64) in;
layout(push_constant, std430) uniform Job { uvec4 base; uvec4 count; } job;
layout(set = 0, binding = 0, std430) buffer Output { uint b[]; };
void main() {
  if (gl_WorkGroupID.x + job.base.x != 0u || gl_LocalInvocationID.x != 0u) return;
  uint dirty = 0u;
  for (uint i = 2u; i < uint(b.length()); ++i) dirty += b[i] != 0u ? 1u : 0u;
  b[1] = dirty;
  b[0] = uint(b.length());
}
