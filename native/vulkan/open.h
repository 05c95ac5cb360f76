// Making the VkDevice of a chosen physical device.
#pragma once

#include <chrono>
#include <optional>

#include "vulkan/context.h"
#include "vulkan/device_choice.h"

namespace kem::vulkan {

// How long a wait polls before it blocks, where nobody has said so: not at all on a CPU, which has better to do, and on
// machines of so few cores that callers and lanes that poll would keep each other from running.
std::chrono::microseconds usual_polling(VkPhysicalDeviceType type, unsigned cores);

// The caller destroys Context::device.
Result<Context> open_context(const Instance& instance, const Candidate& candidate,
                             std::optional<std::chrono::microseconds> polling);

}  // namespace kem::vulkan
