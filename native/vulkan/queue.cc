#include "vulkan/queue.h"

#include <algorithm>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// How often a blocked wait looks for a cancellation.
constexpr std::chrono::milliseconds kCancellationInterval{5};
constexpr std::chrono::hours kLongestWait{1};

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

// VK_NOT_READY if the fence did not signal within the device's polling time.
VkResult poll(const Context& context, VkFence fence, Clock::time_point begin) {
  VkResult result = VK_NOT_READY;
  while (result == VK_NOT_READY && Clock::now() - begin < context.spin)
    result = context.vk.vkGetFenceStatus(context.device, fence);
  return result;
}

}  // namespace

Status Queue::submit(VkCommandBuffer commands, VkFence fence) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const std::lock_guard lock(mutex_);
  KEM_VK("vkQueueSubmit", context_->vk.vkQueueSubmit(queue_, 1, &info, fence));
  return {};
}

Result<Ending> wait_for_fence(const Context& context, VkFence fence, Clock::time_point deadline,
                              const std::atomic<bool>* cancelled) {
  Clock::time_point now = Clock::now();
  if (context.spin.count() != 0) {
    const VkResult polled = poll(context, fence, now);
    if (polled == VK_SUCCESS) return Ending::Signalled;
    if (polled != VK_NOT_READY) return failure("vkGetFenceStatus", polled);
    now = Clock::now();
  }
  while (true) {
    std::chrono::nanoseconds time =
        cancelled != nullptr ? std::chrono::nanoseconds(kCancellationInterval) : std::chrono::nanoseconds(kLongestWait);
    time = deadline <= now ? std::chrono::nanoseconds(0) : std::min<std::chrono::nanoseconds>(time, deadline - now);
    const VkResult result =
        context.vk.vkWaitForFences(context.device, 1, &fence, VK_TRUE, static_cast<uint64_t>(time.count()));
    if (result == VK_SUCCESS) return Ending::Signalled;
    if (result != VK_TIMEOUT) return failure("vkWaitForFences", result);
    now = Clock::now();
    if (is_set(cancelled)) return Ending::Cancelled;
    if (now >= deadline) return Ending::DeadlinePassed;
  }
}

}  // namespace kem::vulkan
