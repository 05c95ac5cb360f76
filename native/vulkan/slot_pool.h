// The slots of a device: free ones, those lent to calls, and those whose call has given up on the device's work.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "vulkan/slot.h"

namespace kem::vulkan {

class SlotPool;

// A slot on loan. On destruction it goes back to the pool; if its work is still running, to the retired ones.
class SlotLease {
 public:
  SlotLease(SlotPool& pool, std::unique_ptr<Slot> slot) : pool_(&pool), slot_(std::move(slot)) {}
  SlotLease(SlotLease&& other) noexcept = default;
  SlotLease& operator=(SlotLease&&) = delete;
  ~SlotLease();

  Slot& operator*() const { return *slot_; }
  Slot* operator->() const { return slot_.get(); }

  // Around a submission: between the two the slot's objects belong to the device.
  void submitted(std::shared_ptr<const PipelineState> pipeline);
  void ended();

 private:
  SlotPool* pool_;
  std::unique_ptr<Slot> slot_;
  bool running_ = false;
};

// Thread-safe.
class SlotPool {
 public:
  // At most so many abandoned jobs may be running before calls are refused.
  static constexpr size_t kMostRetired = 64;

  SlotPool(const Context& context, uint64_t retained_bytes) : context_(&context), retained_bytes_(retained_bytes) {}

  // A slot, if there is one the one that is prepared for such a call. `pipeline` may be null. Busy if too many
  // abandoned jobs run.
  Result<SlotLease> acquire(const PipelineState* pipeline, std::span<const Argument> arguments);

  // Frees the memory of the free slots.
  void trim();
  // Waits until no abandoned job runs, at most so long. False if some still does.
  bool drain(std::chrono::nanoseconds time);
  size_t retired() const;

 private:
  friend class SlotLease;
  void give_back(std::unique_ptr<Slot> slot);
  void retire(std::unique_ptr<Slot> slot);
  void reap();
  void keep(std::unique_ptr<Slot> slot);
  size_t best(const PipelineState* pipeline, std::span<const Argument> arguments) const;

  const Context* context_;
  const uint64_t retained_bytes_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> free_;  // most recently used last
  std::vector<std::unique_ptr<Slot>> retired_;
  uint64_t free_bytes_ = 0;  // memory of the free slots
};

}  // namespace kem::vulkan
