// Waiting for a fence.
#pragma once

#include "vulkan/context.h"

namespace kem::vulkan {

// Polls for the device's polling time, then blocks. VK_TIMEOUT if the fence does not signal within `time`.
VkResult wait_for_fence(const Context& context, VkFence fence, std::chrono::nanoseconds time);

}  // namespace kem::vulkan
