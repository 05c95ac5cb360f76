// Some drivers end an invocation's loops without a word once it has run a number of iterations: lavapipe of Mesa
// 22.3 after 65,535, over all its loops together (Mesa 25.0 does not). What the bytes are then is anybody's guess,
// so a device is asked what it does when it is opened, and kernels count their iterations where there is a limit.
#pragma once

#include <cstdint>

#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Iterations that an invocation of `device` can run, 0 if there is no limit in sight.
Result<uint32_t> probe_loop_limit(Device& device);

}  // namespace kem::vulkan
