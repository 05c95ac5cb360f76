// What stands between the kernels of a batch and its copies, and behind them; see Slot::Parts.
#pragma once

#include "base/result.h"
#include "vulkan/context.h"

namespace kem::vulkan {

// Recorded once, submitted as often as one likes, also while they still run.
class BatchBarriers {
 public:
  static Result<BatchBarriers> make(const Context& context);

  VkCommandBuffer between() const { return between_; }  // writes of shaders are seen by copies and by the host
  VkCommandBuffer behind() const { return behind_; }    // writes of copies are seen by the host

 private:
  CommandPool pool_;
  VkCommandBuffer between_ = VK_NULL_HANDLE;  // of the pool
  VkCommandBuffer behind_ = VK_NULL_HANDLE;   // of the pool
};

}  // namespace kem::vulkan
