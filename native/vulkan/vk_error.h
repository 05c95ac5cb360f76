// VkResult values as Errors.
#pragma once

#include <string_view>

#include "base/result.h"
#include "vulkan/api.h"

namespace kem::vulkan {

// "VK_ERROR_DEVICE_LOST" and so on; "VkResult <n>" for a value that is not in the table.
std::string name(VkResult result);

// The Error for a failed Vulkan call, e.g. "vkQueueSubmit: VK_ERROR_DEVICE_LOST".
tl::unexpected<Error> failure(std::string_view call, VkResult result);

// Returns from the calling function if a Vulkan call did not succeed.
#define KEM_VK(call_name, ...)                                               \
  do {                                                                       \
    if (const VkResult kem_result = (__VA_ARGS__); kem_result != VK_SUCCESS) \
      return ::kem::vulkan::failure(call_name, kem_result);                  \
  } while (false)

}  // namespace kem::vulkan
