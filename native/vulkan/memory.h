// Buffer memory: which type serves which use, and arenas that are rewound, not freed, between calls.
#pragma once

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "vulkan/context.h"

namespace kem::vulkan {

enum class MemoryUse {
  Shared,    // host and shader, on devices without memory of their own
  Near,      // device-local, written by the host through its mapping
  Device,    // device-local; the host may not see it
  Upload,    // host memory that copies to the device start from
  Readback,  // host-cached memory that copies from the device end in
};
constexpr size_t kMemoryUses = 5;

// What buffers are for: imported ones that results are copied to, and all others.
constexpr VkBufferUsageFlags kDeliveryUsage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// The best type for the use among those of `allowed` (VkMemoryRequirements::memoryTypeBits). Host-visible types are
// always coherent. nullopt if the device has none.
std::optional<uint32_t> choose_memory_type(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                                           MemoryUse use);

// A range of an arena.
struct Place {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint8_t* mapped = nullptr;  // where the host sees it; null in MemoryUse::Device
};

// VkDeviceMemory, which Context::allocated counts as long as it is there.
class Memory {
 public:
  Memory() = default;
  Memory(const Context& context, VkDeviceMemory memory, uint64_t size)
      : object_(context, memory), total_(&context.allocated.bytes), size_(size) {
    total_->fetch_add(size_, std::memory_order_relaxed);
  }
  Memory(Memory&& other) noexcept = default;
  Memory& operator=(Memory&& other) noexcept {
    object_ = std::move(other.object_);  // an exchange, as that of the others
    std::swap(total_, other.total_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Memory() {
    if (object_.get() != VK_NULL_HANDLE) total_->fetch_sub(size_, std::memory_order_relaxed);
  }

  VkDeviceMemory get() const { return object_.get(); }

 private:
  MemoryObject object_;
  std::atomic<uint64_t>* total_ = nullptr;
  uint64_t size_ = 0;
};

// A buffer with memory of its own, mapped where the use has a host side.
class Block {
 public:
  static Result<Block> make(const Context& context, MemoryUse use, uint64_t size);
  // Over memory of the host's, not mapped: address and size are multiples of Context::import_alignment. The memory must
  // stay longer than the block. For bindings (Shared), or for copies to it alone (Readback).
  static Result<Block> import(const Context& context, uint8_t* memory, uint64_t size, MemoryUse use);

  VkBuffer buffer() const { return buffer_.get(); }
  uint64_t size() const { return size_; }
  uint8_t* mapped() const { return mapped_; }

 private:
  Memory memory_;  // freed after its buffer
  BufferObject buffer_;
  uint64_t size_ = 0;
  uint8_t* mapped_ = nullptr;
};

// Hands out ranges of blocks, which grow geometrically. Not thread-safe.
class Arena {
 public:
  Arena(const Context& context, MemoryUse use) : context_(&context), use_(use) {}

  // `size` > 0 bytes, aligned for any binding. Valid until rewind().
  Result<Place> place(uint64_t size);
  void rewind();
  // Frees every block.
  void clear();
  uint64_t bytes() const { return bytes_; }

 private:
  const Context* context_;
  MemoryUse use_;
  std::vector<Block> blocks_;
  size_t current_ = 0;   // block that is being filled
  uint64_t offset_ = 0;  // in it
  uint64_t bytes_ = 0;   // of all blocks
};

}  // namespace kem::vulkan
