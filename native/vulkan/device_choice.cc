#include "vulkan/device_choice.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/digest.h"

namespace kem::vulkan {
namespace {

struct TypeRow {
  VkPhysicalDeviceType type;
  std::string_view name;
  int rank;  // lower is better
};

constexpr TypeRow kTypes[] = {
    {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "discrete", 0}, {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, "integrated", 1},
    {VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, "virtual", 2},   {VK_PHYSICAL_DEVICE_TYPE_CPU, "cpu", 3},
    {VK_PHYSICAL_DEVICE_TYPE_OTHER, "other", 4},
};

const TypeRow& row(VkPhysicalDeviceType type) {
  for (const TypeRow& candidate : kTypes)
    if (candidate.type == type) return candidate;
  return kTypes[std::size(kTypes) - 1];
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string version_text(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version));
}

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

struct QueueFamily {
  uint32_t index;
  uint32_t queues;
};

// A family that computes and does not draw is the one that the driver keeps for work like ours.
std::optional<QueueFamily> compute_family(const Instance& instance, VkPhysicalDevice device) {
  uint32_t count = 0;
  instance.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  std::optional<QueueFamily> any;
  for (uint32_t index = 0; index < count; ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    if ((flags & VK_QUEUE_COMPUTE_BIT) == 0 || families[index].queueCount == 0) continue;
    const QueueFamily family{index, families[index].queueCount};
    if ((flags & VK_QUEUE_GRAPHICS_BIT) == 0) return family;
    if (!any) any = family;
  }
  return any;
}

void read_identity(const Instance& instance, VkPhysicalDevice device, DeviceInfo& info) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  VkPhysicalDeviceIDProperties id{};
  id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  if (has_extension(instance, device, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) id.pNext = &driver;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &id;
  instance.vk().vkGetPhysicalDeviceProperties2(device, &properties);
  info.uuid = hex(id.deviceUUID);
  info.driver = driver.driverName;
  info.driver_info = driver.driverInfo;
}

Candidate describe_one(const Instance& instance, VkPhysicalDevice device, uint32_t index) {
  VkPhysicalDeviceProperties properties{};
  instance.vk().vkGetPhysicalDeviceProperties(device, &properties);
  Candidate candidate;
  candidate.handle = device;
  candidate.type = properties.deviceType;
  candidate.info.index = index;
  candidate.info.name = properties.deviceName;
  candidate.info.vendor = properties.vendorID;
  candidate.info.device = properties.deviceID;
  candidate.info.type = row(properties.deviceType).name;
  candidate.info.api_version = properties.apiVersion;
  if (properties.apiVersion < kApiVersion) {
    candidate.unusable = "has Vulkan " + version_text(properties.apiVersion) + ", needs 1.1";
    return candidate;
  }
  read_identity(instance, device, candidate.info);
  if (const auto family = compute_family(instance, device)) {
    candidate.queue_family = family->index;
    candidate.queues = family->queues;
  } else {
    candidate.unusable = "has no compute queue";
  }
  return candidate;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<size_t> as_index(std::string_view text, size_t count) {
  size_t index = 0;
  if (!all_digits(text)) return std::nullopt;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  if (parsed.ec != std::errc() || index >= count) return std::nullopt;
  return index;
}

// 32 hex digits, with or without hyphens; lower case. Empty if it is no UUID.
std::string as_uuid(std::string_view text) {
  std::string digits = lower(text);
  std::erase(digits, '-');
  return digits.size() == 32 && unhex(digits) ? digits : std::string();
}

std::vector<size_t> matches(std::span<const Candidate> candidates, std::string_view selector) {
  if (const auto index = as_index(selector, candidates.size())) return {*index};
  const std::string uuid = as_uuid(selector);
  const std::string part = lower(selector);
  std::vector<size_t> result;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const DeviceInfo& info = candidates[i].info;
    if (uuid.empty() ? lower(info.name).find(part) != std::string::npos : info.uuid == uuid) result.push_back(i);
  }
  return result;
}

}  // namespace

std::vector<Candidate> describe(const Instance& instance, std::span<const VkPhysicalDevice> devices) {
  std::vector<Candidate> candidates;
  candidates.reserve(devices.size());
  for (const VkPhysicalDevice device : devices)
    candidates.push_back(describe_one(instance, device, static_cast<uint32_t>(candidates.size())));
  return candidates;
}

Result<std::vector<size_t>> choose(std::span<const Candidate> candidates, std::string_view selector) {
  std::vector<size_t> chosen = matches(candidates, selector);
  const bool any_match = !chosen.empty();
  std::erase_if(chosen, [&](size_t i) { return !candidates[i].unusable.empty(); });
  if (chosen.empty()) {
    const std::string wanted = selector.empty() ? "" : " '" + std::string(selector) + "'";
    return fail(ErrorClass::NoDevice, (any_match ? "no usable Vulkan device" : "no Vulkan device matches") + wanted +
                                          "; found:" + found(candidates));
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](size_t a, size_t b) { return row(candidates[a].type).rank < row(candidates[b].type).rank; });
  return chosen;
}

std::string found(std::span<const Candidate> candidates) {
  if (candidates.empty()) return " none";
  std::string text;
  for (const Candidate& candidate : candidates) {
    const DeviceInfo& info = candidate.info;
    text += "\n  " + std::to_string(info.index) + ": " + info.name + " (" + info.type + ", " + info.uuid + ")";
    if (!candidate.unusable.empty()) text += ": " + candidate.unusable;
  }
  return text;
}

}  // namespace kem::vulkan
