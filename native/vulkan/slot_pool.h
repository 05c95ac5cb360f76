// The slots of a device: free ones, and those lent to calls.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vulkan/slot.h"

namespace kem::vulkan {

class SlotPool;

// A slot on loan, until its work has ended. On destruction it goes back to the pool.
class SlotLease {
 public:
  SlotLease(SlotPool& pool, std::unique_ptr<Slot> slot) : pool_(&pool), slot_(std::move(slot)) {}
  SlotLease(SlotLease&& other) noexcept = default;
  SlotLease& operator=(SlotLease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(slot_, other.slot_);
    return *this;
  }
  ~SlotLease();

  Slot& operator*() const { return *slot_; }
  Slot* operator->() const { return slot_.get(); }

 private:
  SlotPool* pool_;
  std::unique_ptr<Slot> slot_;
};

// Thread-safe.
class SlotPool {
 public:
  SlotPool(const Context& context, uint64_t retained_bytes) : context_(&context), retained_bytes_(retained_bytes) {}

  // The slot that is prepared for such steps, if there is one.
  std::optional<SlotLease> take_prepared(std::span<const PlannedStep> steps);
  // One that may be prepared for others, if all are.
  Result<SlotLease> take_any();
  // One that is prepared for nothing.
  Result<SlotLease> take_blank();

  // Frees the memory of the free slots.
  void trim();

 private:
  friend class SlotLease;
  void give_back(std::unique_ptr<Slot> slot);
  Result<SlotLease> make();
  template <class Suits>
  std::optional<SlotLease> take(Suits suits);

  const Context* context_;
  const uint64_t retained_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> free_;  // most recently used last
  uint64_t free_bytes_ = 0;                  // memory of the free slots
};

}  // namespace kem::vulkan
