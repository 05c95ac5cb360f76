#include "vulkan/slot_pool.h"

#include "vulkan/queue.h"

namespace kem::vulkan {

SlotLease::~SlotLease() {
  if (slot_ == nullptr) return;
  if (running_)
    pool_->retire(std::move(slot_));
  else
    pool_->give_back(std::move(slot_));
}

void SlotLease::submitted(std::shared_ptr<const PipelineState> pipeline) {
  slot_->in_flight = std::move(pipeline);
  running_ = true;
}

void SlotLease::ended() {
  slot_->in_flight = nullptr;
  running_ = false;
}

Result<SlotLease> SlotPool::acquire(const PipelineState* pipeline, std::span<const Argument> arguments) {
  {
    const std::lock_guard lock(mutex_);
    reap();
    if (retired_.size() >= kMostRetired)
      return fail(ErrorClass::Busy,
                  "the device is still running " + std::to_string(retired_.size()) + " abandoned jobs");
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
  keep(std::move(slot));
}

void SlotPool::keep(std::unique_ptr<Slot> slot) {
  if (free_bytes_ + slot->bytes() > retained_bytes_) slot->trim();
  free_bytes_ += slot->bytes();
  free_.push_back(std::move(slot));
}

void SlotPool::retire(std::unique_ptr<Slot> slot) {
  const std::lock_guard lock(mutex_);
  retired_.push_back(std::move(slot));
}

void SlotPool::reap() {
  for (size_t i = retired_.size(); i-- > 0;) {
    if (context_->vk.vkGetFenceStatus(context_->device, retired_[i]->fence()) == VK_NOT_READY) continue;
    std::unique_ptr<Slot> slot = std::move(retired_[i]);
    retired_.erase(retired_.begin() + static_cast<ptrdiff_t>(i));
    slot->in_flight = nullptr;
    if (slot->reset_fence()) keep(std::move(slot));
  }
}

void SlotPool::trim() {
  const std::lock_guard lock(mutex_);
  for (const auto& slot : free_) slot->trim();
  free_bytes_ = 0;
}

bool SlotPool::drain(std::chrono::nanoseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  const std::lock_guard lock(mutex_);
  for (const auto& slot : retired_) {
    const auto ending = wait_for_fence(*context_, slot->fence(), deadline, nullptr);
    if (ending && *ending != Ending::Signalled) return false;  // an error means that the device is lost: nothing runs
  }
  reap();
  return true;
}

size_t SlotPool::retired() const {
  const std::lock_guard lock(mutex_);
  return retired_.size();
}

}  // namespace kem::vulkan
