#include "vulkan/slot_pool.h"

#include <algorithm>

#include "base/lock_soon.h"

namespace kem::vulkan {

SlotLease::~SlotLease() {
  if (slot_ != nullptr) pool_->give_back(std::move(slot_));
}

// The most recently used one of those that suit.
template <class Suits>
std::optional<SlotLease> SlotPool::take(Suits suits) {
  const auto lock = lock_soon(mutex_);
  for (size_t i = free_.size(); i-- > 0;) {
    if (!suits(*free_[i])) continue;
    std::unique_ptr<Slot> slot = std::move(free_[i]);
    free_.erase(free_.begin() + static_cast<ptrdiff_t>(i));
    free_bytes_ -= slot->bytes();
    return SlotLease(*this, std::move(slot));
  }
  return std::nullopt;
}

std::optional<SlotLease> SlotPool::take_prepared(std::span<const PlannedStep> steps) {
  return take([&](const Slot& slot) { return slot.prepared_for(steps); });
}

Result<SlotLease> SlotPool::take_any() {
  auto slot = take([](const Slot& free) { return !free.prepared(); });
  if (!slot) slot = take([](const Slot&) { return true; });
  return slot ? std::move(*slot) : make();
}

Result<SlotLease> SlotPool::take_blank() {
  auto slot = take([](const Slot& free) { return !free.prepared(); });
  return slot ? std::move(*slot) : make();
}

Result<SlotLease> SlotPool::make() {
  KEM_TRY(std::unique_ptr<Slot> slot, Slot::make(*context_));
  return SlotLease(*this, std::move(slot));
}

void SlotPool::give_back(std::unique_ptr<Slot> slot) {
  slot->return_lent();
  const auto lock = lock_soon(mutex_);
  if (free_bytes_ + slot->bytes() > retained_bytes_) slot->trim();
  free_bytes_ += slot->bytes();
  free_.push_back(std::move(slot));
}

void SlotPool::trim() {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : free_) slot->trim();
  free_bytes_ = 0;
}

}  // namespace kem::vulkan
