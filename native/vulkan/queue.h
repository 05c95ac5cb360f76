// A VkQueue and waiting for what was submitted to it.
#pragma once

#include <atomic>
#include <mutex>

#include "base/result.h"
#include "vulkan/context.h"

namespace kem::vulkan {

class Queue {
 public:
  Queue(const Context& context, VkQueue queue) : context_(&context), queue_(queue) {}

  // Thread-safe. The fence signals when the command buffer has ended.
  Status submit(VkCommandBuffer commands, VkFence fence);

 private:
  const Context* context_;
  VkQueue queue_;
  std::mutex mutex_;
};

enum class Ending { Signalled, DeadlinePassed, Cancelled };

// Blocks until the fence signals, the deadline passes or `cancelled` (may be null) is true.
Result<Ending> wait_for_fence(const Context& context, VkFence fence, std::chrono::steady_clock::time_point deadline,
                              const std::atomic<bool>* cancelled);

}  // namespace kem::vulkan
