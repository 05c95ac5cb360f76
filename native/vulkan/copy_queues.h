// Queues that only copy, for what takes long. A copy on a queue that computes makes small kernels wait on that device's
// other queues too: for milliseconds on an H200, where beside a queue that only copies they take microseconds longer
// (docs/performance.md).
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "vulkan/context.h"
#include "vulkan/tickets.h"

namespace kem::vulkan {

// Thread-safe.
class CopyQueue {
 public:
  CopyQueue(VkQueue queue, Tickets tickets) : queue_(queue), tickets_(std::move(tickets)) {}

  struct Submitted {
    uint64_t first = 0;  // number of the first; the others have the following ones
    size_t count = 0;    // that were submitted
    VkResult result = VK_SUCCESS;
  };
  // Each by itself, one after the other, the first one when `after` has been reached.
  Submitted submit(std::span<const VkCommandBuffer> commands, const Tickets::Point& after);

  // As Tickets::wait.
  VkResult wait(uint64_t number, std::chrono::nanoseconds time) { return tickets_.wait(number, time); }
  Tickets::Point point(uint64_t number) const { return tickets_.point(number); }
  // Waits until nothing is left to do.
  void drain(const Context& context);

 private:
  std::mutex mutex_;
  VkQueue queue_;
  Tickets tickets_;
};

// A device's. To it and from it are different queues where it has two.
class CopyQueues {
 public:
  // The context has at least one of them; it outlives this.
  static Result<std::unique_ptr<CopyQueues>> make(const Context& context);

  CopyQueue& up() { return *queues_.front(); }
  CopyQueue& down() { return *queues_.back(); }

 private:
  std::vector<std::unique_ptr<CopyQueue>> queues_;
};

}  // namespace kem::vulkan
