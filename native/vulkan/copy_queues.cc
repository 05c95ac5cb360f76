#include "vulkan/copy_queues.h"

namespace kem::vulkan {

CopyQueue::Submitted CopyQueue::submit(std::span<const VkCommandBuffer> commands, const Tickets::Point& after) {
  const std::lock_guard lock(mutex_);
  Submitted submitted{tickets_.last() + 1};
  for (const VkCommandBuffer& each : commands) {
    submitted.result = tickets_.submit(queue_, {&each, 1}, submitted.count == 0 ? after : Tickets::Point{});
    if (submitted.result != VK_SUCCESS) break;
    ++submitted.count;
  }
  return submitted;
}

void CopyQueue::drain(const Context& context) {
  const std::lock_guard lock(mutex_);
  context.vk.vkQueueWaitIdle(queue_);
}

Result<std::unique_ptr<CopyQueues>> CopyQueues::make(const Context& context) {
  auto queues = std::make_unique<CopyQueues>();
  for (uint32_t index = 0; index < context.copy_queues; ++index) {
    VkQueue queue = VK_NULL_HANDLE;
    context.vk.vkGetDeviceQueue(context.device, context.copy_family, index, &queue);
    KEM_TRY(Tickets tickets, Tickets::make(context));
    queues->queues_.push_back(std::make_unique<CopyQueue>(queue, std::move(tickets)));
  }
  return queues;
}

}  // namespace kem::vulkan
