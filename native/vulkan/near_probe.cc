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
// A shader may write the same word many times, which a cache of its own would bear better than the link.
constexpr uint64_t kLeastWritten = 4u << 10, kMostWritten = 64u << 10;
constexpr uint64_t kShareOfHeap = 256;  // one buffer takes at most the 256th part
constexpr uint64_t kPage = 4096;

// Long enough that the caches for writes do not hide what is behind them, short enough to take some ten microseconds.
constexpr uint64_t kProbed = 256u << 10;
constexpr int kRounds = 4;  // the quickest counts

// `bytes` > 0, perhaps infinite.
uint64_t bounded(double bytes, uint64_t least, uint64_t most) {
  const double within = std::clamp(bytes, static_cast<double>(least), static_cast<double>(most));
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
  limits.given_bytes = bounded(given, kLeast, std::min(kMostGiven, share));
  limits.zeroed_bytes = std::min(bounded(zeroed, kLeast, std::min(kMostZeroed, share)), limits.given_bytes);
  const double slower = costs.host_write - costs.copy_out;
  limits.written_bytes = bounded(slower <= 0 ? kAnySize : costs.command / slower, kLeastWritten, kMostWritten);
  limits.measured = true;
  return limits;
}

// In memory that the first calls then find.
Result<NearCosts> DeviceImpl::measure_near() {
  KEM_TRY(SlotLease slot, core_->slots->take_blank());
  KEM_TRY(const Place near, slot->stage(MemoryUse::Near, kProbed));
  KEM_TRY(const Place upload, slot->stage(MemoryUse::Upload, kProbed));
  KEM_TRY(const Place device, slot->stage(MemoryUse::Device, kProbed));
  KEM_TRY(const Place readback, slot->stage(MemoryUse::Readback, kProbed));
  KEM_TRY(const Fence fence, make_fence(core_->context));
  const auto submission = [&]() -> Status {
    Status ended = submit_and_wait(core_->lanes->first(), slot->commands(), fence);
    if (!ended) lost_.store(true, std::memory_order_relaxed);  // as in transfer()
    return ended;
  };
  const auto copy = [&](const Place& from, const Place& to, uint64_t size) -> Result<double> {
    KEM_CHECK(slot->record_copy(from.buffer, to.buffer, {from.offset, to.offset, size}));
    return quickest(submission);
  };
  // A fill, as the device's shader would.
  const auto fill = [&](uint64_t size) -> Result<double> {
    KEM_CHECK(slot->record_fill(readback.buffer, size));
    return quickest(submission);
  };
  constexpr double kBytes = kProbed;
  constexpr uint64_t kFew = 4;
  const std::vector<uint8_t> bytes(kProbed, 1);
  KEM_TRY(const double near_write, time_to_write(near, bytes));
  KEM_TRY(const double staging_write, time_to_write(upload, bytes));
  KEM_TRY(const double all, copy(upload, device, kProbed));
  KEM_TRY(const double few, copy(upload, device, kFew));
  KEM_TRY(const double all_out, copy(device, readback, kProbed));
  KEM_TRY(const double few_out, copy(device, readback, kFew));
  KEM_TRY(const double all_filled, fill(kProbed));
  KEM_TRY(const double few_filled, fill(kFew));
  KEM_CHECK(slot->record_nothing());
  KEM_TRY(const double nothing, quickest(submission));
  const auto each = [](double whole, double least) { return std::max(0.0, whole - least) / (kBytes - kFew); };
  return NearCosts{near_write / kBytes,          staging_write / kBytes,       each(all, few),
                   std::max(0.0, few - nothing), each(all_filled, few_filled), each(all_out, few_out)};
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
