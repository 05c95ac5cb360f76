// Tells the end of submissions to a queue: one timeline semaphore that counts them, or, where the driver has none, the
// fence of each.
#pragma once

#include <array>
#include <chrono>
#include <span>

#include "base/result.h"
#include "vulkan/context.h"

namespace kem::vulkan {

Result<Fence> make_fence(const Context& context);

// Submissions of one queue, numbered from 1.
class Tickets {
 public:
  // With fences: most submissions in flight.
  static constexpr uint64_t kMostInFlight = 4;

  static Result<Tickets> make(const Context& context);

  // An end that submissions to other queues can wait for.
  struct Point {
    VkSemaphore timeline = VK_NULL_HANDLE;  // null: nothing to wait for
    uint64_t number = 0;
  };
  // Where there are timeline semaphores.
  Point point(uint64_t number) const { return {timeline_.get(), number}; }

  // Submits the next one, which begins when `after` has been reached. The caller has the queue to itself.
  VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commands, const Point& after);
  VkResult submit(VkQueue queue, std::span<const VkCommandBuffer> commands) { return submit(queue, commands, Point{}); }
  // Of the last one submitted.
  uint64_t last() const { return last_; }

  // Polls for the device's polling time, then blocks. VK_TIMEOUT if the submission has not ended within `time`. One
  // thread at a time for each submission, and some thread for every one.
  VkResult wait(uint64_t number, std::chrono::nanoseconds time);
  // The same without ever sleeping, for a queue thread that runs on the caller's core: the caller gives way to it.
  VkResult wait_giving_way(uint64_t number, std::chrono::nanoseconds time);
  // How long a wait polls before it blocks.
  std::chrono::nanoseconds polling_time() const { return context_->spin; }
  // Whether wait() may be called for a submission that is still to come: nothing has to wake the waiter then.
  bool can_wait_ahead() const { return timeline_.get() != VK_NULL_HANDLE; }
  // Ends such a wait, as if something had been submitted. The caller has the queue to itself.
  void skip();

 private:
  explicit Tickets(const Context& context) : context_(&context) {}
  VkFence fence(uint64_t number) const { return fences_[number % kMostInFlight].get(); }
  VkResult check(uint64_t number) const;
  VkResult poll(uint64_t number, std::chrono::nanoseconds time) const;
  VkResult noted(uint64_t number, VkResult result) const;
  VkResult block(uint64_t number, std::chrono::nanoseconds time) const;

  const Context* context_;
  Semaphore timeline_;
  std::array<Fence, kMostInFlight> fences_;
  uint64_t last_ = 0;
};

}  // namespace kem::vulkan
