// What every part of the executor knows of the opened device, and owners for its objects.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

#include "vulkan/api.h"
#include "vulkan/shadow.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Bytes that are allocated. A copy counts for itself.
struct ByteCount {
  std::atomic<uint64_t> bytes{0};
  ByteCount() = default;
  ByteCount(const ByteCount&) {}
  ByteCount& operator=(const ByteCount&) { return *this; }
};

// What may stay imported of callers' memory between calls (imports.h).
struct ImportBounds {
  uint64_t bytes = 1ull << 30;  // pinned at most
  size_t number = 64;
  std::chrono::nanoseconds settled{std::chrono::seconds(1)};  // what was used since is not given up for other pages
  std::chrono::nanoseconds idle{std::chrono::seconds(6)};     // what was not used since is freed
  std::chrono::nanoseconds interval{std::chrono::milliseconds(100)};  // between two looks for that
};

// Up to which sizes it costs less to write a buffer where it is used, across the link, than to copy or clear it there
// (near_probe.h).
struct NearLimits {
  uint64_t given_bytes = 64u << 10;   // of a buffer all of whose bytes the caller brings
  uint64_t zeroed_bytes = 64u << 10;  // of one that the host has to write zeros to
  bool measured = false;              // or set by hand: they stay as they are
  // Of one that a shader only writes: up to this size it is the host's memory.
  uint64_t written_bytes = 64u << 10;

  bool operator==(const NearLimits&) const = default;
};

// Constant once the device is open, but for the count of memory. Outlives every object made with it; does not own the
// VkDevice.
struct Context {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable vk{};
  uint32_t queue_family = 0;
  uint32_t queues = 1;       // of that family, in use
  uint32_t copy_family = 0;  // another one, whose queues only copy
  uint32_t copy_queues = 0;  // of that one, in use; 0: there is none
  DeviceInfo info;
  DeviceLimits limits;
  uint32_t driver_version = 0;  // as the driver writes it
  std::array<uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};
  VkPhysicalDeviceMemoryProperties memory{};
  // Where the driver tells how much of it is in use (VK_EXT_memory_budget), else null.
  PFN_vkGetPhysicalDeviceMemoryProperties2 memory_budget = nullptr;
  mutable ByteCount allocated;      // of VkDeviceMemory
  uint64_t buffer_alignment = 256;  // good for every kind of binding
  // What is staged and at least twice as large is copied in pieces of so many bytes, by host and device at once.
  uint64_t piece_bytes = 32u << 20;
  // Where there are copy queues, what is staged and at least so large is copied by them, in one piece or more.
  uint64_t least_apart = 2u << 20;
  uint64_t storage_alignment = 256;  // of a storage binding's offset
  uint64_t import_alignment = 0;     // of host memory that can be imported; 0: none can
  ImportBounds imports;
  NearLimits near;
  bool unified = false;                // host and shader work on the same memory: nothing is staged
  bool near_memory = false;            // device-local memory that the host can write (BAR)
  bool timeline = false;               // VK_KHR_timeline_semaphore
  std::chrono::nanoseconds spin{0};    // how long a wait polls before it blocks
  std::optional<Shadow> queue_thread;  // a CPU driver's; for the lane
};

// Owns one object that vkDestroy... (a member of VolkDeviceTable) destroys.
template <class T, auto Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(const Context& context, T handle) : context_(&context), handle_(handle) {}
  Handle(Handle&& other) noexcept : context_(other.context_), handle_(std::exchange(other.handle_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (context_ != nullptr && handle_ != T{}) (context_->vk.*Destroy)(context_->device, handle_, nullptr);
  }

  T get() const { return handle_; }
  const T* address() const { return &handle_; }

 private:
  const Context* context_ = nullptr;
  T handle_{};
};

using BufferObject = Handle<VkBuffer, &VolkDeviceTable::vkDestroyBuffer>;
using MemoryObject = Handle<VkDeviceMemory, &VolkDeviceTable::vkFreeMemory>;
using ShaderModule = Handle<VkShaderModule, &VolkDeviceTable::vkDestroyShaderModule>;
using SetLayout = Handle<VkDescriptorSetLayout, &VolkDeviceTable::vkDestroyDescriptorSetLayout>;
using PipelineLayout = Handle<VkPipelineLayout, &VolkDeviceTable::vkDestroyPipelineLayout>;
using PipelineObject = Handle<VkPipeline, &VolkDeviceTable::vkDestroyPipeline>;
using PipelineCache = Handle<VkPipelineCache, &VolkDeviceTable::vkDestroyPipelineCache>;
using DescriptorPool = Handle<VkDescriptorPool, &VolkDeviceTable::vkDestroyDescriptorPool>;
using CommandPool = Handle<VkCommandPool, &VolkDeviceTable::vkDestroyCommandPool>;
using Semaphore = Handle<VkSemaphore, &VolkDeviceTable::vkDestroySemaphore>;
using Fence = Handle<VkFence, &VolkDeviceTable::vkDestroyFence>;

}  // namespace kem::vulkan
