#include "vulkan/fence.h"

namespace kem::vulkan {

VkResult wait_for_fence(const Context& context, VkFence fence, std::chrono::nanoseconds time) {
  using Clock = std::chrono::steady_clock;
  if (context.spin.count() != 0) {
    const Clock::time_point end = Clock::now() + context.spin;
    VkResult result = VK_NOT_READY;
    while (result == VK_NOT_READY && Clock::now() < end) result = context.vk.vkGetFenceStatus(context.device, fence);
    if (result != VK_NOT_READY) return result;
  }
  return context.vk.vkWaitForFences(context.device, 1, &fence, VK_TRUE, static_cast<uint64_t>(time.count()));
}

}  // namespace kem::vulkan
