// Buffers in groups 0 and 2, none in group 1; a specialization constant; no push constants.
#version 460
layout(local_size_x = 1) in;
layout(constant_id = 3) const uint factor = 1u;
layout(set = 0, binding = 5, std430) readonly buffer Input { uint a[]; };
layout(set = 2, binding = 1, std430) buffer Output { uint b[]; };
void main() { b[gl_WorkGroupID.x] = a[gl_WorkGroupID.x] * factor; }
