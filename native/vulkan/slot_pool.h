// The slots of a device: free ones, and those lent to calls.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/slot.h"

namespace kem::vulkan {

class SlotPool;

// A slot on loan, until its work has ended. On destruction it goes back to the pool.
class SlotLease {
 public:
  SlotLease(SlotPool& pool, std::unique_ptr<Slot> slot) : pool_(&pool), slot_(std::move(slot)) {}
  SlotLease(SlotLease&& other) noexcept = default;
  SlotLease& operator=(SlotLease&&) = delete;
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

  // A slot, if there is one the one that is prepared for such steps. For no steps, one that is prepared for nothing.
  Result<SlotLease> acquire(std::span<const PlannedStep> steps);

  // Whether a free slot is prepared for such steps.
  bool prepared_for(std::span<const PlannedStep> steps);
  // Frees the memory of the free slots.
  void trim();

 private:
  friend class SlotLease;
  void give_back(std::unique_ptr<Slot> slot);
  std::optional<size_t> best(std::span<const PlannedStep> steps) const;

  const Context* context_;
  const uint64_t retained_bytes_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> free_;  // most recently used last
  uint64_t free_bytes_ = 0;                  // memory of the free slots
};

}  // namespace kem::vulkan
