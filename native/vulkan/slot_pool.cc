#include "vulkan/slot_pool.h"

#include <algorithm>

namespace kem::vulkan {

SlotLease::~SlotLease() {
  if (slot_ != nullptr) pool_->give_back(std::move(slot_));
}

Result<SlotLease> SlotPool::acquire(std::span<const PlannedStep> steps) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto index = best(steps)) {
      std::unique_ptr<Slot> slot = std::move(free_[*index]);
      free_.erase(free_.begin() + static_cast<ptrdiff_t>(*index));
      free_bytes_ -= slot->bytes();
      return SlotLease(*this, std::move(slot));
    }
  }
  KEM_TRY(std::unique_ptr<Slot> slot, Slot::make(*context_));
  return SlotLease(*this, std::move(slot));
}

std::optional<size_t> SlotPool::best(std::span<const PlannedStep> steps) const {
  for (size_t i = free_.size(); i-- > 0;)
    if (steps.empty() ? !free_[i]->prepared() : free_[i]->prepared_for(steps)) return i;
  if (steps.empty() || free_.empty()) return std::nullopt;
  // One that no call of the same kind can want.
  for (size_t i = free_.size(); i-- > 0;)
    if (!free_[i]->prepared()) return i;
  return free_.size() - 1;
}

void SlotPool::give_back(std::unique_ptr<Slot> slot) {
  slot->return_lent();
  const std::lock_guard lock(mutex_);
  if (free_bytes_ + slot->bytes() > retained_bytes_) slot->trim();
  free_bytes_ += slot->bytes();
  free_.push_back(std::move(slot));
}

bool SlotPool::prepared_for(std::span<const PlannedStep> steps) {
  const std::lock_guard lock(mutex_);
  return std::any_of(free_.begin(), free_.end(), [&](const auto& slot) { return slot->prepared_for(steps); });
}

void SlotPool::trim() {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : free_) slot->trim();
  free_bytes_ = 0;
}

}  // namespace kem::vulkan
