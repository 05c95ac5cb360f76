#define VOLK_IMPLEMENTATION
#include "gpu.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "double.spv.h"

namespace floors {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kGroupWords = 256;
constexpr uint32_t kMostSets = 64;

// What vkCreate... wants: its sType and all else zero.
template <class Info>
Info info_of(VkStructureType type) {
  Info info{};
  info.sType = type;
  return info;
}

std::string uuid_of(VkPhysicalDevice device) {
  auto ids = info_of<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  auto properties = info_of<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &ids;
  vkGetPhysicalDeviceProperties2(device, &properties);
  std::string text;
  for (const uint8_t byte : ids.deviceUUID) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

int compute_family(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  const auto found = std::find_if(families.begin(), families.end(), [](const VkQueueFamilyProperties& family) {
    return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  });
  return found == families.end() ? -1 : static_cast<int>(found - families.begin());
}

}  // namespace

void die(const std::string& why) {
  std::fprintf(stderr, "kem_floors: %s\n", why.c_str());
  std::exit(2);
}

void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) die(std::string(what) + ": VkResult " + std::to_string(result));
}

Gpu::Gpu(const std::string& uuid) {
  const auto begin = Clock::now();
  open_instance();
  choose_device(uuid);
  open_device();
  start_time_ = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  make_kernel();
}

void Gpu::open_instance() {
  if (volkInitialize() != VK_SUCCESS) die("this host has no Vulkan loader");
  auto application = info_of<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_1;
  auto info = info_of<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  check(vkCreateInstance(&info, nullptr, &instance_), "vkCreateInstance");
  volkLoadInstanceOnly(instance_);
}

void Gpu::choose_device(const std::string& uuid) {
  uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  check(vkEnumeratePhysicalDevices(instance_, &count, devices.data()), "vkEnumeratePhysicalDevices");
  const auto found = std::find_if(devices.begin(), devices.end(), [&](VkPhysicalDevice device) {
    return compute_family(device) >= 0 && (uuid.empty() || uuid_of(device) == uuid);
  });
  if (found == devices.end()) die("there is no such device");
  physical_ = *found;
  family_ = static_cast<uint32_t>(compute_family(physical_));
}

void Gpu::open_device() {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical_, &properties);
  is_cpu_ = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  largest_ = properties.limits.maxStorageBufferRange;
  most_groups_ = properties.limits.maxComputeWorkGroupCount[0];
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  const float priority = 1;
  auto queue = info_of<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = info_of<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  check(vkCreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
  volkLoadDevice(device_);
  vkGetDeviceQueue(device_, family_, 0, &queue_);
}

void Gpu::make_kernel() {
  std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
  for (uint32_t i = 0; i < bindings.size(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  auto sets = info_of<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  sets.bindingCount = bindings.size();
  sets.pBindings = bindings.data();
  check(vkCreateDescriptorSetLayout(device_, &sets, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  auto layout = info_of<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  check(vkCreatePipelineLayout(device_, &layout, nullptr, &layout_), "vkCreatePipelineLayout");

  auto code = info_of<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  code.codeSize = sizeof double_spv;
  code.pCode = double_spv;
  VkShaderModule module = VK_NULL_HANDLE;
  check(vkCreateShaderModule(device_, &code, nullptr, &module), "vkCreateShaderModule");
  auto pipeline = info_of<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  pipeline.stage = info_of<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = "main";
  pipeline.layout = layout_;
  check(vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &pipeline, nullptr, &pipeline_),
        "vkCreateComputePipelines");
  vkDestroyShaderModule(device_, module, nullptr);

  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * kMostSets};
  auto pool = info_of<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool.maxSets = kMostSets;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  check(vkCreateDescriptorPool(device_, &pool, nullptr, &descriptors_), "vkCreateDescriptorPool");
  auto commands = info_of<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  commands.queueFamilyIndex = family_;
  check(vkCreateCommandPool(device_, &commands, nullptr, &commands_), "vkCreateCommandPool");
  const auto fence = info_of<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  check(vkCreateFence(device_, &fence, nullptr, &fence_), "vkCreateFence");
}

Gpu::~Gpu() {
  vkDestroyFence(device_, fence_, nullptr);
  vkDestroyCommandPool(device_, commands_, nullptr);
  vkDestroyDescriptorPool(device_, descriptors_, nullptr);
  vkDestroyPipeline(device_, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
}

// The first type that has the most wanted of the properties; every place has one that will do.
uint32_t Gpu::memory_type(uint32_t allowed, Place place) const {
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::vector<VkMemoryPropertyFlags> wanted;
  if (place == Place::Device) wanted = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  if (place == Place::Near) wanted = {kMapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  if (place != Place::Device) wanted.insert(wanted.end(), {kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kMapped});
  for (const VkMemoryPropertyFlags flags : wanted)
    for (uint32_t type = 0; type < memory_.memoryTypeCount; ++type)
      if ((allowed >> type & 1) != 0 && (memory_.memoryTypes[type].propertyFlags & flags) == flags) return type;
  die("there is no memory for a buffer");
}

Buffer Gpu::make_buffer(VkDeviceSize size, Place place) const {
  Buffer buffer;
  buffer.size = size;
  auto info = info_of<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  check(vkCreateBuffer(device_, &info, nullptr, &buffer.handle), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, buffer.handle, &needs);
  auto allocation = info_of<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = memory_type(needs.memoryTypeBits, place);
  check(vkAllocateMemory(device_, &allocation, nullptr, &buffer.memory), "vkAllocateMemory");
  check(vkBindBufferMemory(device_, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
  if (place != Place::Device)
    check(vkMapMemory(device_, buffer.memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped), "vkMapMemory");
  return buffer;
}

void Gpu::destroy(const Buffer& buffer) const {
  vkDestroyBuffer(device_, buffer.handle, nullptr);
  vkFreeMemory(device_, buffer.memory, nullptr);
}

VkCommandBuffer Gpu::begin() const {
  auto allocation = info_of<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = commands_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(vkAllocateCommandBuffers(device_, &allocation, &commands), "vkAllocateCommandBuffers");
  const auto info = info_of<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  return commands;
}

void Gpu::end(VkCommandBuffer commands) const { check(vkEndCommandBuffer(commands), "vkEndCommandBuffer"); }

void Gpu::release(VkCommandBuffer commands) const { vkFreeCommandBuffers(device_, commands_, 1, &commands); }

void Gpu::record_kernel(VkCommandBuffer commands, const Buffer& from, const Buffer& to) const {
  auto allocation = info_of<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocation.descriptorPool = descriptors_;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  check(vkAllocateDescriptorSets(device_, &allocation, &set), "vkAllocateDescriptorSets");
  const std::array<VkDescriptorBufferInfo, 2> buffers{{{from.handle, 0, VK_WHOLE_SIZE}, {to.handle, 0, VK_WHOLE_SIZE}}};
  auto write = info_of<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = buffers.size();
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  record_dispatch(commands, to.size / sizeof(uint32_t));
}

void Gpu::record_dispatch(VkCommandBuffer commands, uint64_t words) const {
  const uint64_t groups = (words + kGroupWords - 1) / kGroupWords;
  const uint64_t rows = (groups + most_groups_ - 1) / most_groups_;
  vkCmdDispatch(commands, static_cast<uint32_t>((groups + rows - 1) / rows), static_cast<uint32_t>(rows), 1);
}

void Gpu::record_copy(VkCommandBuffer commands, const Buffer& from, const Buffer& to) const {
  const VkBufferCopy region{0, 0, from.size};
  vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &region);
}

void Gpu::record_barrier(VkCommandBuffer commands) const {
  auto barrier = info_of<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  vkCmdPipelineBarrier(commands, kStages, kStages | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Gpu::run(VkCommandBuffer commands, bool polling) const {
  auto submit = info_of<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(vkResetFences(device_, 1, &fence_), "vkResetFences");
  check(vkQueueSubmit(queue_, 1, &submit, fence_), "vkQueueSubmit");
  if (polling) {
    VkResult status = VK_NOT_READY;
    while (status == VK_NOT_READY) status = vkGetFenceStatus(device_, fence_);
    check(status, "vkGetFenceStatus");
  } else {
    check(vkWaitForFences(device_, 1, &fence_, VK_TRUE, ~uint64_t{0}), "vkWaitForFences");
  }
}

}  // namespace floors
