// Hand-written Vulkan, as little as the floors need: one device, one queue, one kernel. What fails ends the program.
#pragma once

#define VOLK_VULKAN_H_PATH <vulkan/vulkan_core.h>
#include <volk.h>

#include <cstdint>
#include <string>

namespace floors {

[[noreturn]] void die(const std::string& why);
void check(VkResult result, const char* what);

// What memory a buffer is in.
enum class Place {
  Device,  // device-local
  Near,    // device-local and mapped where the device has such memory, else Host
  Host,    // mapped, cached where there is such memory
};

struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  void* mapped = nullptr;  // null in Place::Device
  VkDeviceSize size = 0;
};

class Gpu {
 public:
  // The device of this deviceUUID (32 hex digits), or the first that has a compute queue.
  explicit Gpu(const std::string& uuid);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  bool is_cpu() const { return is_cpu_; }
  uint64_t largest() const { return largest_; }
  // Microseconds from vkCreateInstance to the end of vkCreateDevice.
  double start_time() const { return start_time_; }

  Buffer make_buffer(VkDeviceSize size, Place place) const;
  void destroy(const Buffer& buffer) const;

  // A command buffer that is begun; run() takes it once it is ended.
  VkCommandBuffer begin() const;
  void end(VkCommandBuffer commands) const;
  // The doubling kernel over all of `from`, into `to`.
  void record_kernel(VkCommandBuffer commands, const Buffer& from, const Buffer& to) const;
  void record_dispatch(VkCommandBuffer commands, uint64_t words) const;
  void record_copy(VkCommandBuffer commands, const Buffer& from, const Buffer& to) const;
  void record_barrier(VkCommandBuffer commands) const;
  void release(VkCommandBuffer commands) const;

  // Submits and waits for the end: blocked, or polling.
  void run(VkCommandBuffer commands, bool polling) const;

 private:
  void open_instance();
  void choose_device(const std::string& uuid);
  void open_device();
  void make_kernel();
  uint32_t memory_type(uint32_t allowed, Place place) const;

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  uint32_t family_ = 0;
  bool is_cpu_ = false;
  uint64_t largest_ = 0;
  uint64_t most_groups_ = 0;
  double start_time_ = 0;
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkDescriptorPool descriptors_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

}  // namespace floors
