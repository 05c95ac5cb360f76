#include "vulkan/slot_pool.h"

#include <algorithm>

namespace kem::vulkan {

SlotLease::~SlotLease() {
  if (slot_ != nullptr) pool_->give_back(std::move(slot_));
}

Result<SlotLease> SlotPool::acquire(const PipelineState* pipeline, std::span<const Argument> arguments) {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      const size_t index = best(pipeline, arguments);
      std::unique_ptr<Slot> slot = std::move(free_[index]);
      free_.erase(free_.begin() + static_cast<ptrdiff_t>(index));
      free_bytes_ -= slot->bytes();
      return SlotLease(*this, std::move(slot));
    }
  }
  KEM_TRY(std::unique_ptr<Slot> slot, Slot::make(*context_));
  return SlotLease(*this, std::move(slot));
}

size_t SlotPool::best(const PipelineState* pipeline, std::span<const Argument> arguments) const {
  const size_t last = free_.size() - 1;
  if (pipeline == nullptr) return last;
  for (size_t i = free_.size(); i-- > 0;)
    if (free_[i]->prepared_for(*pipeline, arguments)) return i;
  return last;
}

void SlotPool::give_back(std::unique_ptr<Slot> slot) {
  const std::lock_guard lock(mutex_);
  if (free_bytes_ + slot->bytes() > retained_bytes_) slot->trim();
  free_bytes_ += slot->bytes();
  free_.push_back(std::move(slot));
}

bool SlotPool::prepared_for(const PipelineState& pipeline, std::span<const Argument> arguments) {
  const std::lock_guard lock(mutex_);
  return std::any_of(free_.begin(), free_.end(),
                     [&](const auto& slot) { return slot->prepared_for(pipeline, arguments); });
}

void SlotPool::trim() {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : free_) slot->trim();
  free_bytes_ = 0;
}

}  // namespace kem::vulkan
