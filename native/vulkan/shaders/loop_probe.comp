// Counts as far as it is told to. The bound comes from memory, so that no compiler can work the result out.
#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Counter { uint bound; uint count; } counter;
void main() {
  uint count = 0u;
  for (uint i = 0u; i < counter.bound; ++i) count += (i ^ counter.bound) == 0u ? 2u : 1u;
  counter.count = count;
}
