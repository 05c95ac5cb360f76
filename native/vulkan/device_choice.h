// Which physical device to use: description, usability, selector.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "vulkan/api.h"
#include "vulkan/instance.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

struct Candidate {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceInfo info;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t queue_family = 0;
  uint32_t queues = 1;  // that it has
  uint32_t copy_family = 0;
  uint32_t copy_queues = 0;  // of that family, which can only copy; 0: there is no such family
  std::string unusable;      // why it can't be used; empty if it can
};

// Describes every physical device, in the loader's order.
std::vector<Candidate> describe(const Instance& instance, std::span<const VkPhysicalDevice> devices);

// Indices into `candidates`, all of them usable.
struct Choice {
  std::vector<size_t> devices;  // at least one; twice the same: it is opened twice
  std::vector<size_t> instead;  // of others, best first, if none of the devices can be opened
};

// What `selector` (DeviceOptions::selector) names. NoDevice lists what was found.
Result<Choice> choose(std::span<const Candidate> candidates, std::string_view selector);

// "0: NAME (cpu, UUID)" a line, with the reason where one can't be used.
std::string found(std::span<const Candidate> candidates);

}  // namespace kem::vulkan
