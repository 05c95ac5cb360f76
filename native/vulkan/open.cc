#include "vulkan/open.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "vulkan/memory.h"
#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr std::chrono::microseconds kGpuPolling{50};
constexpr unsigned kFewestCoresToPoll = 4;
// Two for brief calls and one for long ones (lanes.h). Each has a thread, which mostly sleeps, and adds 10 ms and more
// to the device's opening on an H200. A second one for long calls lets four callers of 4 MiB wait for each other
// longer.
constexpr uint32_t kMostQueues = 3;
constexpr uint32_t kMostCopyQueues = 2;  // up and down
// Fewer bytes are copied in the time that a call takes longer whose commands are recorded anew (docs/performance.md).
constexpr uint64_t kLeastLent = 128u << 10;
// From where on a result's fresh memory costs more than recycled pages: page faults.
constexpr uint64_t kLeastLentResult = 1u << 20;

// The features that are turned on where they are there, chained for vkGetPhysicalDeviceFeatures2 and vkCreateDevice.
struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDevice16BitStorageFeatures storage16{};
  VkPhysicalDeviceShaderFloat16Int8FeaturesKHR float16{};
  VkPhysicalDeviceUniformBufferStandardLayoutFeaturesKHR uniform_layout{};
  VkPhysicalDeviceTimelineSemaphoreFeaturesKHR timeline{};
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT subgroup_size{};
  std::vector<const char*> extensions;
};

bool has_extension(const Instance& instance, VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  if (instance.vk().vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> extensions(count);
  if (instance.vk().vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()) != VK_SUCCESS)
    return false;
  return std::any_of(extensions.begin(), extensions.end(), [&](const VkExtensionProperties& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

// `features` must not move afterwards: its chain points into it.
void choose_features(const Instance& instance, VkPhysicalDevice device, Features& features) {
  VkPhysicalDeviceFeatures2& core = features.core;
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  features.float16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES_KHR;
  features.uniform_layout.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES_KHR;
  features.timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES_KHR;
  features.subgroup_size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT;
  core.pNext = &features.storage16;
  const auto chain = [&](const char* extension, void* feature, void*& next) {
    if (!has_extension(instance, device, extension)) return;
    features.extensions.push_back(extension);
    next = std::exchange(core.pNext, feature);
  };
  chain(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME, &features.float16, features.float16.pNext);
  chain(VK_KHR_UNIFORM_BUFFER_STANDARD_LAYOUT_EXTENSION_NAME, &features.uniform_layout, features.uniform_layout.pNext);
  chain(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, &features.timeline, features.timeline.pNext);
  chain(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, &features.subgroup_size, features.subgroup_size.pNext);
  instance.vk().vkGetPhysicalDeviceFeatures2(device, &core);

  const VkPhysicalDeviceFeatures there = core.features;
  core.features = {};
  core.features.robustBufferAccess = there.robustBufferAccess;
  core.features.shaderInt16 = there.shaderInt16;
  features.storage16.storageInputOutput16 = VK_FALSE;
  features.float16.shaderInt8 = VK_FALSE;
  features.subgroup_size.computeFullSubgroups = VK_FALSE;
}

// Whether buffers of that usage can be bound to memory of the host's own.
bool can_import(const Instance& instance, VkPhysicalDevice device, VkBufferUsageFlags usage) {
  VkPhysicalDeviceExternalBufferInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  wanted.usage = usage;
  wanted.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkExternalBufferProperties found{};
  found.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  instance.vk().vkGetPhysicalDeviceExternalBufferProperties(device, &wanted, &found);
  const VkExternalMemoryFeatureFlags features = found.externalMemoryProperties.externalMemoryFeatures;
  return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0 &&
         (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

// CPU drivers bind what callers lend. Others pin the memory, page by page, which takes longer than staging it: with
// memory of their own they deliver results to what stays imported (imports.h), without they import nothing.
void choose_import(const Instance& instance, const Candidate& candidate, Features& features, Context& context) {
  constexpr const char* kExtension = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  if (candidate.type != VK_PHYSICAL_DEVICE_TYPE_CPU && context.unified) return;
  if (!has_extension(instance, candidate.handle, kExtension) ||
      !can_import(instance, candidate.handle, context.unified ? kUsage : kDeliveryUsage))
    return;
  features.extensions.push_back(kExtension);
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &host;
  instance.vk().vkGetPhysicalDeviceProperties2(candidate.handle, &properties);
  context.import_alignment = host.minImportedHostPointerAlignment;
  if (!context.unified) return;
  context.limits.least_lent_bytes = context.limits.least_lent_result_bytes = kLeastLent;
  context.limits.binds_lent = true;
}

bool has_f16(const Features& features) {
  return features.float16.shaderFloat16 == VK_TRUE && features.storage16.storageBuffer16BitAccess == VK_TRUE &&
         features.storage16.uniformAndStorageBuffer16BitAccess == VK_TRUE;
}

constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
    VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_QUAD_BIT;

void read_limits(const Instance& instance, VkPhysicalDevice device, Context& context) {
  VkPhysicalDeviceSubgroupProperties subgroups{};
  subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroups;
  instance.vk().vkGetPhysicalDeviceProperties2(device, &properties);
  context.driver_version = properties.properties.driverVersion;
  std::copy_n(properties.properties.pipelineCacheUUID, VK_UUID_SIZE, context.pipeline_cache_uuid.begin());
  const VkPhysicalDeviceLimits& from = properties.properties.limits;
  DeviceLimits& limits = context.limits;
  limits.least_lent_result_bytes = kLeastLentResult;
  limits.max_storage_range = from.maxStorageBufferRange;
  limits.max_uniform_range = from.maxUniformBufferRange;
  std::copy_n(from.maxComputeWorkGroupCount, 3, limits.max_workgroup_count.begin());
  std::copy_n(from.maxComputeWorkGroupSize, 3, limits.max_workgroup_size.begin());
  limits.max_workgroup_invocations = from.maxComputeWorkGroupInvocations;
  limits.max_shared_bytes = from.maxComputeSharedMemorySize;
  limits.max_bound_descriptor_sets = from.maxBoundDescriptorSets;
  limits.max_storage_buffers = std::min(from.maxPerStageDescriptorStorageBuffers, from.maxDescriptorSetStorageBuffers);
  limits.max_uniform_buffers = std::min(from.maxPerStageDescriptorUniformBuffers, from.maxDescriptorSetUniformBuffers);
  limits.max_push_constant_bytes = from.maxPushConstantsSize;
  limits.subgroups = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
                     (subgroups.supportedOperations & kSubgroupOperations) == kSubgroupOperations;
  limits.subgroup_size = subgroups.subgroupSize;
  context.storage_alignment = from.minStorageBufferOffsetAlignment;
  context.buffer_alignment = std::max<uint64_t>(
      {64, from.minStorageBufferOffsetAlignment, from.minUniformBufferOffsetAlignment, from.nonCoherentAtomSize});
}

void read_subgroup_sizes(const Instance& instance, VkPhysicalDevice device, const Features& features,
                         DeviceLimits& limits) {
  limits.min_subgroup_size = limits.max_subgroup_size = limits.subgroup_size;
  if (features.subgroup_size.subgroupSizeControl != VK_TRUE) return;
  VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes{};
  sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &sizes;
  instance.vk().vkGetPhysicalDeviceProperties2(device, &properties);
  limits.subgroup_size_control = (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (!limits.subgroup_size_control) return;
  limits.min_subgroup_size = sizes.minSubgroupSize;
  limits.max_subgroup_size = sizes.maxSubgroupSize;
  limits.max_workgroup_subgroups = sizes.maxComputeWorkgroupSubgroups;
}

Result<VkDevice> create_device(const Instance& instance, const Candidate& candidate, const Features& features,
                               const Context& context) {
  std::array<float, std::max(kMostQueues, kMostCopyQueues)> priorities{};
  priorities.fill(1.0f);
  std::array<VkDeviceQueueCreateInfo, 2> queues{};
  for (VkDeviceQueueCreateInfo& queue : queues) {
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.pQueuePriorities = priorities.data();
  }
  queues[0].queueFamilyIndex = context.queue_family;
  queues[0].queueCount = context.queues;
  queues[1].queueFamilyIndex = context.copy_family;
  queues[1].queueCount = context.copy_queues;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = context.copy_queues == 0 ? 1 : 2;
  info.pQueueCreateInfos = queues.data();
  info.enabledExtensionCount = static_cast<uint32_t>(features.extensions.size());
  info.ppEnabledExtensionNames = features.extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  KEM_VK("vkCreateDevice", instance.vk().vkCreateDevice(candidate.handle, &info, nullptr, &device));
  return device;
}

// Memory that both sides reach at full speed: there is no other on these devices.
bool is_unified(const Candidate& candidate, const VkPhysicalDeviceMemoryProperties& memory) {
  if (candidate.type == VK_PHYSICAL_DEVICE_TYPE_CPU) return true;
  if (candidate.type != VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU) return false;
  const auto shared = choose_memory_type(memory, ~0u, MemoryUse::Shared);
  return shared && (memory.memoryTypes[*shared].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
}

}  // namespace

std::chrono::microseconds usual_polling(VkPhysicalDeviceType type, unsigned cores) {
  const bool polls = type != VK_PHYSICAL_DEVICE_TYPE_CPU && cores >= kFewestCoresToPoll;
  return polls ? kGpuPolling : std::chrono::microseconds(0);
}

Result<Context> open_context(const Instance& instance, const Candidate& candidate,
                             std::optional<std::chrono::microseconds> polling) {
  Context context;
  context.physical = candidate.handle;
  context.info = candidate.info;
  context.queue_family = candidate.queue_family;
  context.queues = std::min({candidate.queues, kMostQueues, std::max(1u, std::thread::hardware_concurrency())});
  read_limits(instance, candidate.handle, context);
  instance.vk().vkGetPhysicalDeviceMemoryProperties(candidate.handle, &context.memory);
  if (has_extension(instance, candidate.handle, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME))
    context.memory_budget = instance.vk().vkGetPhysicalDeviceMemoryProperties2;
  context.unified = is_unified(candidate, context.memory);
  context.near_memory = choose_memory_type(context.memory, ~0u, MemoryUse::Near).has_value();
  context.spin = polling.value_or(usual_polling(candidate.type, std::thread::hardware_concurrency()));

  Features features;
  choose_features(instance, candidate.handle, features);
  read_subgroup_sizes(instance, candidate.handle, features, context.limits);
  choose_import(instance, candidate, features, context);
  context.limits.f16 = has_f16(features);
  context.limits.f16_push_constants = features.storage16.storagePushConstant16 == VK_TRUE;
  context.limits.uniform_standard_layout = features.uniform_layout.uniformBufferStandardLayout == VK_TRUE;
  context.timeline = features.timeline.timelineSemaphore == VK_TRUE;
  if (!context.unified && context.timeline) {
    context.copy_family = candidate.copy_family;
    context.copy_queues = std::min(candidate.copy_queues, kMostCopyQueues);
  }
  Result<VkDevice> device = VK_NULL_HANDLE;
  const auto create = [&] { device = create_device(instance, candidate, features, context); };
  if (candidate.type == VK_PHYSICAL_DEVICE_TYPE_CPU)
    context.queue_thread = Shadow::of_thread_made_by(create);
  else
    create();
  KEM_TRY(context.device, device);
  volkLoadDeviceTable(&context.vk, context.device);
  return context;
}

}  // namespace kem::vulkan
