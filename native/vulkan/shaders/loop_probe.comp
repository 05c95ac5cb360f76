// Two loops of which some drivers make something else; see loop_probe.h.
#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Counter { uint bound; uint count; uint steps; } counter;
void main() {
  // Left when the unsigned variable wraps around, after 8 steps; never by its condition, but some drivers are wrong about
  // loops with two exits alone. First: the other one may use up all iterations.
  uint steps = 0u;
  for (uint i = 8u; steps < 40u; ++steps) {
    i -= 1u;
    if (i > 7u) break;
  }
  counter.steps = steps;
  // Counts as far as it is told to. The bound comes from memory, so that no compiler can work the result out.
  uint count = 0u;
  for (uint i = 0u; i < counter.bound; ++i) count += (i ^ counter.bound) == 0u ? 2u : 1u;
  counter.count = count;
}
