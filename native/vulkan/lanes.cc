#include "vulkan/lanes.h"

#include <algorithm>
#include <functional>
#include <span>
#include <thread>
#include <utility>

namespace kem::vulkan {
namespace {

// With more of them brief calls of many threads only get in each other's way (docs/performance.md).
constexpr size_t kMostForBrief = 2;

}  // namespace

Result<Lanes> Lanes::make(Context& context, Copier& copier, CopyQueues* copies) {
  Lanes lanes;
  for (uint32_t index = 0; index < context.queues; ++index) {
    VkQueue queue = VK_NULL_HANDLE;
    context.vk.vkGetDeviceQueue(context.device, context.queue_family, index, &queue);
    KEM_TRY(Tickets tickets, Tickets::make(context));
    KEM_TRY(BatchCommands together, BatchCommands::make(context));
    lanes.lanes_.push_back(std::make_unique<Lane>(queue, std::move(tickets), std::move(together), copier, copies,
                                                  std::exchange(context.queue_thread, std::nullopt)));
  }
  lanes.for_brief_ = std::min(lanes.lanes_.size(), kMostForBrief);
  return lanes;
}

Lane& Lanes::pick(bool brief) const {
  std::span<const std::unique_ptr<Lane>> lanes = lanes_;
  if (!are_all_alike()) lanes = brief ? lanes.first(for_brief_) : lanes.subspan(for_brief_);
  const size_t usual = std::hash<std::thread::id>()(std::this_thread::get_id()) % lanes.size();
  Lane* best = lanes[usual].get();
  for (size_t i = 1; best->load() != 0 && i < lanes.size(); ++i) {
    Lane* const other = lanes[(usual + i) % lanes.size()].get();
    if (other->load() < best->load()) best = other;
  }
  return *best;
}

bool Lanes::lost() const {
  return std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->lost(); });
}

size_t Lanes::abandoned() const {
  size_t sum = 0;
  for (const auto& lane : lanes_) sum += lane->abandoned();
  return sum;
}

bool Lanes::stop(std::chrono::nanoseconds patience) const {
  bool all = true;
  for (const auto& lane : lanes_) all = lane->stop(patience) && all;
  return all;
}

}  // namespace kem::vulkan
