// Many iterations a workgroup. The state depends on memory, so that no compiler can leave the loop out.
#version 460
layout(local_size_x = 64) in;
layout(push_constant, std430) uniform Job { uvec4 base; uvec4 count; } job;
layout(set = 0, binding = 0, std430) buffer Output { uint b[]; };
void main() {
  uint state = b[0] + gl_LocalInvocationIndex + gl_WorkGroupID.x;
  for (uint i = 0u; i < 60000u; ++i) state = state * 1664525u + 1013904223u + (state >> 7u);
  if (state == 7u) b[1] = state;
}
