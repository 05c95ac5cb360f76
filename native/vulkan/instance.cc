#include "vulkan/instance.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// volk keeps its function pointers in globals, so loading them is guarded for the process.
struct Loader {
  std::mutex mutex;
  bool initialized = false;
  bool has_instance_functions = false;
};

Loader& loader() {
  static Loader instance;
  return instance;
}

Status load_vulkan() {
  const std::lock_guard lock(loader().mutex);
  if (loader().initialized) return {};
  if (volkInitialize() != VK_SUCCESS)
    return fail(ErrorClass::NoDevice, "this host has no Vulkan loader (libvulkan.so.1 was not found)");
  loader().initialized = true;
  return {};
}

// volkLoadDeviceTable needs the global vkGetDeviceProcAddr. The pointers are the loader's own entries, good for
// every instance, so the first instance's do.
void load_global_functions(VkInstance instance) {
  const std::lock_guard lock(loader().mutex);
  if (loader().has_instance_functions) return;
  volkLoadInstanceOnly(instance);
  loader().has_instance_functions = true;
}

bool has_validation_layer() {
  uint32_t count = 0;
  if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkLayerProperties> layers(count);
  if (vkEnumerateInstanceLayerProperties(&count, layers.data()) < 0) return false;
  return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, kValidationLayer) == 0;
  });
}

VKAPI_ATTR VkBool32 VKAPI_CALL take_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* log) {
  static_cast<ValidationLog*>(log)->add(data->pMessage != nullptr ? data->pMessage : "");
  return VK_FALSE;
}

// Without the "general" type: there the loader complains about drivers that are none of our business.
VkDebugUtilsMessengerCreateInfoEXT messenger_info(ValidationLog* log) {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = take_message;
  info.pUserData = log;
  return info;
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::create(bool validation) {
  KEM_CHECK(load_vulkan());
  if (vkEnumerateInstanceVersion == nullptr || volkGetInstanceVersion() < kApiVersion)
    return fail(ErrorClass::NoDevice, "the host's Vulkan loader is older than Vulkan 1.1");
  std::unique_ptr<Instance> instance(new Instance);
  instance->validating_ = validation && has_validation_layer();

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "kem";
  application.apiVersion = kApiVersion;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  const VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(instance->log_.get());
  if (instance->validating_) {
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    info.pNext = &messenger;
  }
  const VkResult result = vkCreateInstance(&info, nullptr, &instance->handle_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return fail(ErrorClass::NoDevice, "the Vulkan loader found no driver (VK_ERROR_INCOMPATIBLE_DRIVER)");
  KEM_VK("vkCreateInstance", result);
  KEM_CHECK(instance->load_functions());
  if (instance->validating_) KEM_CHECK(instance->start_messenger());
  return instance;
}

Status Instance::load_functions() {
  load_global_functions(handle_);
#define KEM_ROW(function)                                                                     \
  vk_.function = reinterpret_cast<PFN_##function>(vkGetInstanceProcAddr(handle_, #function)); \
  if (vk_.function == nullptr) return fail(ErrorClass::NoDevice, "the Vulkan loader lacks " #function);
  KEM_INSTANCE_FUNCTIONS(KEM_ROW)
#undef KEM_ROW
  return {};
}

Status Instance::start_messenger() {
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(handle_, "vkCreateDebugUtilsMessengerEXT"));
  destroy_messenger_ = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(handle_, "vkDestroyDebugUtilsMessengerEXT"));
  if (create == nullptr || destroy_messenger_ == nullptr)
    return fail(ErrorClass::NoDevice, "the Vulkan loader lacks VK_EXT_debug_utils");
  const VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(log_.get());
  KEM_VK("vkCreateDebugUtilsMessengerEXT", create(handle_, &info, nullptr, &messenger_));
  return {};
}

Instance::~Instance() {
  if (messenger_ != VK_NULL_HANDLE) destroy_messenger_(handle_, messenger_, nullptr);
  if (handle_ != VK_NULL_HANDLE && vk_.vkDestroyInstance != nullptr) vk_.vkDestroyInstance(handle_, nullptr);
}

Result<std::vector<VkPhysicalDevice>> Instance::physical_devices() const {
  uint32_t count = 0;
  KEM_VK("vkEnumeratePhysicalDevices", vk_.vkEnumeratePhysicalDevices(handle_, &count, nullptr));
  std::vector<VkPhysicalDevice> devices(count);
  const VkResult result = vk_.vkEnumeratePhysicalDevices(handle_, &count, devices.data());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return failure("vkEnumeratePhysicalDevices", result);
  devices.resize(count);
  if (devices.empty()) return fail(ErrorClass::NoDevice, "the Vulkan drivers of this host show no device");
  return devices;
}

}  // namespace kem::vulkan
