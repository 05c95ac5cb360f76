// What drivers do to loops without a word, so that the bytes are wrong. lavapipe of Mesa 22.3 (25.0 does not) ends an
// invocation's loops once it has run 65,535 iterations, over all its loops together; and it takes some loops for loops
// that never run (wgsl/transform/loop_exits.cc). A device is asked what it does when it is opened, and kernels count
// their iterations or are written otherwise where need be.
#pragma once

#include <cstdint>

#include "vulkan/vulkan.h"

namespace kem::vulkan {

struct LoopBehavior {
  uint32_t limit = 0;           // iterations that an invocation can run, 0 if there is no limit in sight
  bool misreads_exits = false;  // takes an exit behind a variable's step for one of the first iteration
};
Result<LoopBehavior> probe_loops(Device& device);

}  // namespace kem::vulkan
