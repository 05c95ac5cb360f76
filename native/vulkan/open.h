// Making the VkDevice of a chosen physical device.
#pragma once

#include "vulkan/context.h"
#include "vulkan/device_choice.h"

namespace kem::vulkan {

// The caller destroys Context::device.
Result<Context> open_context(const Instance& instance, const Candidate& candidate);

}  // namespace kem::vulkan
