#include "vulkan/near_probe.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "vulkan/device.h"
#include "vulkan/tickets.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kLeast = 64u << 10;  // good on every device that was measured (docs/performance.md)
constexpr uint64_t kMostGiven = 8u << 20;
constexpr uint64_t kMostZeroed = 1u << 20;
constexpr uint64_t kShareOfHeap = 256;  // one buffer takes at most the 256th part
constexpr uint64_t kPage = 4096;

// Long enough that the caches for writes do not hide what is behind them, short enough to take some ten microseconds.
constexpr uint64_t kProbed = 256u << 10;
constexpr int kRounds = 4;  // the quickest counts

// `bytes` > 0, perhaps infinite.
uint64_t bounded(double bytes, uint64_t most) {
  const double within = std::clamp(bytes, static_cast<double>(kLeast), static_cast<double>(most));
  return static_cast<uint64_t>(within) / kPage * kPage;
}

template <class Work>
Result<double> quickest(Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    KEM_CHECK(work());
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return best;
}

Result<double> time_to_write(const Place& to, const std::vector<uint8_t>& bytes) {
  return quickest([&]() -> Status {
    std::memcpy(to.mapped, bytes.data(), bytes.size());
    return {};
  });
}

}  // namespace

NearLimits near_limits(const NearCosts& costs, uint64_t heap_bytes) {
  constexpr double kAnySize = std::numeric_limits<double>::infinity();
  const uint64_t share = std::max(kLeast, heap_bytes / kShareOfHeap);
  // Given bytes either go there at once or by staging and a copy; zeros the device writes with a command.
  const double staged = costs.staging_write + costs.copy;
  const double given = costs.near_write <= staged ? kAnySize : costs.command / (costs.near_write - staged);
  const double zeroed = costs.near_write <= 0 ? kAnySize : costs.command / costs.near_write;
  NearLimits limits;
  limits.given_bytes = bounded(given, std::min(kMostGiven, share));
  limits.zeroed_bytes = std::min(bounded(zeroed, std::min(kMostZeroed, share)), limits.given_bytes);
  limits.measured = true;
  return limits;
}

// In memory that the first calls then find.
Result<NearCosts> DeviceImpl::measure_near() {
  KEM_TRY(SlotLease slot, core_->slots->take_blank());
  KEM_TRY(const Place near, slot->stage(MemoryUse::Near, kProbed));
  KEM_TRY(const Place upload, slot->stage(MemoryUse::Upload, kProbed));
  KEM_TRY(const Place device, slot->stage(MemoryUse::Device, kProbed));
  KEM_TRY(const Fence fence, make_fence(core_->context));
  const auto submission = [&]() -> Status {
    Status ended = submit_and_wait(core_->lanes->first(), slot->commands(), fence);
    if (!ended) lost_.store(true, std::memory_order_relaxed);  // as in transfer()
    return ended;
  };
  const auto copy = [&](uint64_t size) -> Result<double> {
    KEM_CHECK(slot->record_copy(upload.buffer, device.buffer, {upload.offset, device.offset, size}));
    return quickest(submission);
  };
  constexpr double kBytes = kProbed;
  constexpr uint64_t kFew = 4;
  const std::vector<uint8_t> bytes(kProbed, 1);
  KEM_TRY(const double near_write, time_to_write(near, bytes));
  KEM_TRY(const double staging_write, time_to_write(upload, bytes));
  KEM_TRY(const double all, copy(kProbed));
  KEM_TRY(const double few, copy(kFew));
  KEM_CHECK(slot->record_nothing());
  KEM_TRY(const double nothing, quickest(submission));
  return NearCosts{near_write / kBytes, staging_write / kBytes, std::max(0.0, all - few) / (kBytes - kFew),
                   std::max(0.0, few - nothing)};
}

// What cannot be measured stays as it is on every device.
void DeviceImpl::probe_near() {
  Context& context = core_->context;
  if (context.unified || !context.near_memory || context.near.measured) return;
  const auto type = choose_memory_type(context.memory, ~0u, MemoryUse::Near);
  const auto costs = measure_near();
  if (!type || !costs) return;
  context.near =
      kem::vulkan::near_limits(*costs, context.memory.memoryHeaps[context.memory.memoryTypes[*type].heapIndex].size);
}

}  // namespace kem::vulkan
