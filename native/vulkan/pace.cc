#include "vulkan/pace.h"

#include <algorithm>
#include <limits>

namespace kem::vulkan {
namespace {

constexpr uint64_t kSlicePicoseconds = std::chrono::nanoseconds(Pace::kSliceTime).count() * 1000ull;

}  // namespace

uint64_t Pace::first_slice() const {
  const uint64_t cost = picoseconds_.load(std::memory_order_relaxed);
  return cost == 0 ? kUnknownSlice : std::max<uint64_t>(1, kSlicePicoseconds / cost);
}

uint64_t Pace::next_slice(uint64_t workgroups, std::chrono::nanoseconds time) {
  const uint64_t elapsed = static_cast<uint64_t>(std::max<int64_t>(time.count(), 1)) * 1000;
  const uint64_t measured = std::max<uint64_t>(1, elapsed / workgroups);
  // A few cheap workgroups measure the submission, not the kernel.
  if (workgroups >= kUnknownSlice || elapsed >= kSlicePicoseconds) {
    const uint64_t known = picoseconds_.load(std::memory_order_relaxed);
    // Dearer at once, cheaper slowly: parameters may make the next job as dear as the last dear one.
    picoseconds_.store(measured >= known ? measured : known - (known - measured) / 4, std::memory_order_relaxed);
  }
  const uint64_t most = workgroups > std::numeric_limits<uint64_t>::max() / kGrowth ? workgroups : workgroups * kGrowth;
  return std::clamp<uint64_t>(kSlicePicoseconds / measured, 1, most);
}

}  // namespace kem::vulkan
