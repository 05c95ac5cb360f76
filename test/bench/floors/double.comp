#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Doubled { uint doubled[]; };
void main() {
  uint word = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationID.x;
  if (word < doubled.length()) doubled[word] = source[word] * 2u;
}
