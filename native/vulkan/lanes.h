// The lanes of a device: one for each queue that is used. Where there are enough of them, brief calls and long ones
// have lanes of their own: behind a few large copies a call of microseconds would wait for milliseconds.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/result.h"
#include "vulkan/lane.h"

namespace kem::vulkan {

// Thread-safe once it is made.
class Lanes {
 public:
  // What a device copies in some tens of microseconds is brief.
  static constexpr uint64_t kBriefBytes = 2u << 20;

  // On as many of the queues that the device was opened with. The context, the copier and the copy queues, of which
  // there may be none (null), outlive the lanes.
  static Result<Lanes> make(Context& context, Copier& copier, CopyQueues* copies);

  // The lane for a call of this thread: the one that it took last time if that has nothing to do, else the one with the
  // least. Callers on different threads so keep out of each other's way, and of the driver's lock on a queue.
  Lane& pick(bool brief) const;
  // Whether pick() does the same for both.
  bool are_all_alike() const { return for_brief_ == lanes_.size(); }
  Lane& first() const { return *lanes_.front(); }

  bool lost() const;
  size_t abandoned() const;
  // Lane::stop() of each.
  bool stop(std::chrono::nanoseconds patience) const;

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  size_t for_brief_ = 0;  // so many of them, the first; all, if there are no more
};

}  // namespace kem::vulkan
