// The Vulkan loader and a VkInstance with its functions.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "vulkan/api.h"
#include "vulkan/validation_log.h"

namespace kem::vulkan {

// The oldest Vulkan that the executor works with, and the one that it asks for.
constexpr uint32_t kApiVersion = VK_API_VERSION_1_1;

#define KEM_INSTANCE_FUNCTIONS(ROW)                \
  ROW(vkDestroyInstance)                           \
  ROW(vkEnumeratePhysicalDevices)                  \
  ROW(vkEnumerateDeviceExtensionProperties)        \
  ROW(vkGetPhysicalDeviceProperties)               \
  ROW(vkGetPhysicalDeviceProperties2)              \
  ROW(vkGetPhysicalDeviceFeatures2)                \
  ROW(vkGetPhysicalDeviceExternalBufferProperties) \
  ROW(vkGetPhysicalDeviceQueueFamilyProperties)    \
  ROW(vkGetPhysicalDeviceMemoryProperties)         \
  ROW(vkGetPhysicalDeviceMemoryProperties2)        \
  ROW(vkCreateDevice)

// Of one instance: volk's global pointers belong to whichever instance was loaded last.
struct InstanceFunctions {
#define KEM_ROW(function) PFN_##function function = nullptr;
  KEM_INSTANCE_FUNCTIONS(KEM_ROW)
#undef KEM_ROW
};

class Instance {
 public:
  // NoDevice if the host has no Vulkan loader or no driver. With `validation`, the Khronos layer is turned on
  // where it is installed.
  static Result<std::unique_ptr<Instance>> create(bool validation);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return handle_; }
  const InstanceFunctions& vk() const { return vk_; }
  // NoDevice if there is none.
  Result<std::vector<VkPhysicalDevice>> physical_devices() const;

  bool validating() const { return validating_; }
  // Shared, for it still takes messages while the instance is being destroyed.
  const std::shared_ptr<ValidationLog>& log() const { return log_; }

 private:
  Instance() = default;
  Status load_functions();
  Status start_messenger();

  VkInstance handle_ = VK_NULL_HANDLE;
  InstanceFunctions vk_;
  bool validating_ = false;
  std::shared_ptr<ValidationLog> log_ = std::make_shared<ValidationLog>();
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger_ = nullptr;
};

}  // namespace kem::vulkan
