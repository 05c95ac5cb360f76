// Small jobs of one submission in one command buffer: first the kernels of all, then the copies of all. The device
// takes microseconds for every command buffer, however little is in it (docs/performance.md), and a barrier behind each
// kernel would make the next one wait until what it wrote is out.
#pragma once

#include <array>
#include <span>

#include "base/result.h"
#include "vulkan/context.h"
#include "vulkan/flight.h"

namespace kem::vulkan {

// Of one queue, one thread at a time.
class BatchCommands {
 public:
  // Submissions of the queue that may be in flight with what was recorded here, the one that is being made included.
  static constexpr size_t kMostInFlight = 2;

  static Result<BatchCommands> make(const Context& context);

  // Jobs that can share a command buffer (Slot::joins_batches). What was recorded kMostInFlight times before is gone:
  // it must have ended.
  Result<VkCommandBuffer> record(std::span<const Flight* const> flights);

 private:
  explicit BatchCommands(const Context& context) : context_(&context) {}

  const Context* context_;
  CommandPool pool_;
  std::array<VkCommandBuffer, kMostInFlight> buffers_{};  // of the pool, by turns
  size_t next_ = 0;
};

}  // namespace kem::vulkan
