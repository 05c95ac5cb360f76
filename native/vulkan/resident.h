// Device memory that outlives calls.
#pragma once

#include <memory>
#include <utility>

#include "vulkan/memory.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Shared with what runs on it, which may outlive the caller's interest after a timeout.
struct BufferState {
  const Context* context = nullptr;
  uint64_t id = 0;    // never 0, never reused by the device
  uint64_t size = 0;  // as asked for; the block has a multiple of 4
  Block block;

  uint64_t bound_size() const { return (size + 3) / 4 * 4; }
  Place place(uint64_t offset) const {
    return {block.buffer(), offset, block.mapped() == nullptr ? nullptr : block.mapped() + offset};
  }
};

// What the caller holds.
class BufferHandle final : public Buffer {
 public:
  explicit BufferHandle(std::shared_ptr<BufferState> state) : state_(std::move(state)) {}
  uint64_t size() const override { return state_->size; }
  const std::shared_ptr<BufferState>& state() const { return state_; }

 private:
  std::shared_ptr<BufferState> state_;
};

// The state behind a buffer of this package; null for null and for anything else.
inline const std::shared_ptr<BufferState>* state_of(const Buffer* buffer) {
  const auto* const handle = dynamic_cast<const BufferHandle*>(buffer);
  return handle == nullptr ? nullptr : &handle->state();
}

}  // namespace kem::vulkan
