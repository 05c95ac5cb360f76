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
  int rank;       // lower is better
  bool together;  // several of them are used together
};

constexpr TypeRow kTypes[] = {
    {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "discrete", 0, true},
    {VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, "integrated", 1, true},
    {VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, "virtual", 2, true},
    {VK_PHYSICAL_DEVICE_TYPE_CPU, "cpu", 3, false},
    {VK_PHYSICAL_DEVICE_TYPE_OTHER, "other", 4, false},
};

constexpr std::string_view kAll = "all";

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

std::vector<VkQueueFamilyProperties> queue_families(const Instance& instance, VkPhysicalDevice device) {
  uint32_t count = 0;
  instance.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.vk().vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

// A family that computes and does not draw is the one that the driver keeps for work like ours.
std::optional<QueueFamily> compute_family(const Instance& instance, VkPhysicalDevice device) {
  const auto families = queue_families(instance, device);
  std::optional<QueueFamily> any;
  for (uint32_t index = 0; index < families.size(); ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    if ((flags & VK_QUEUE_COMPUTE_BIT) == 0 || families[index].queueCount == 0) continue;
    const QueueFamily family{index, families[index].queueCount};
    if ((flags & VK_QUEUE_GRAPHICS_BIT) == 0) return family;
    if (!any) any = family;
  }
  return any;
}

std::optional<QueueFamily> copy_family(const Instance& instance, VkPhysicalDevice device) {
  constexpr VkQueueFlags kOnlyCopies = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
  const auto families = queue_families(instance, device);
  for (uint32_t index = 0; index < families.size(); ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    if ((flags & VK_QUEUE_TRANSFER_BIT) != 0 && (flags & ~kOnlyCopies) == 0 && families[index].queueCount != 0)
      return QueueFamily{index, families[index].queueCount};
  }
  return std::nullopt;
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
  if (const auto family = copy_family(instance, device)) {
    candidate.copy_family = family->index;
    candidate.copy_queues = family->queues;
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

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// What was meant: one device, exactly, or any of those whose names have a text in them.
struct Matches {
  std::vector<size_t> devices;
  bool exact = false;
};

// Digits are an index if there is such a device, otherwise part of a name.
Matches matches(std::span<const Candidate> candidates, std::string_view selector) {
  if (const auto index = as_index(selector, candidates.size())) return {{*index}, true};
  const std::string uuid = as_uuid(selector);
  const std::string part = lower(selector);
  Matches result;
  result.exact = !uuid.empty();
  for (size_t i = 0; i < candidates.size(); ++i) {
    const DeviceInfo& info = candidates[i].info;
    if (result.exact ? info.uuid == uuid : lower(info.name).find(part) != std::string::npos)
      result.devices.push_back(i);
  }
  return result;
}

// Those that can be used, best first; `selector` is for the error.
Result<std::vector<size_t>> usable(std::span<const Candidate> candidates, std::vector<size_t> some,
                                   std::string_view selector) {
  const bool any_match = !some.empty();
  std::erase_if(some, [&](size_t i) { return !candidates[i].unusable.empty(); });
  if (some.empty()) {
    const std::string wanted = selector.empty() ? "" : " '" + std::string(selector) + "'";
    return fail(ErrorClass::NoDevice, (any_match ? "no usable Vulkan device" : "no Vulkan device matches") + wanted +
                                          "; found:" + found(candidates));
  }
  std::stable_sort(some.begin(), some.end(),
                   [&](size_t a, size_t b) { return row(candidates[a].type).rank < row(candidates[b].type).rank; });
  return some;
}

Choice first_of(std::vector<size_t> best_first, size_t count) {
  const auto end = best_first.begin() + static_cast<ptrdiff_t>(count);
  return {{best_first.begin(), end}, {end, best_first.end()}};
}

// All of the best kind, if it is one of which several are used together.
Result<Choice> choose_best(std::span<const Candidate> candidates) {
  KEM_TRY(std::vector<size_t> all, usable(candidates, matches(candidates, "").devices, ""));
  const TypeRow& best = row(candidates[all.front()].type);
  const auto same = static_cast<size_t>(
      std::count_if(all.begin(), all.end(), [&](size_t i) { return row(candidates[i].type).rank == best.rank; }));
  return first_of(std::move(all), best.together ? same : 1);
}

// Items of a list are taken one after the other: part of a name is a device that no item before it has taken.
Result<Choice> choose_listed(std::span<const Candidate> candidates, std::string_view list) {
  Choice choice;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view item = trim(list.substr(0, comma));
    list = comma == std::string_view::npos ? "" : list.substr(comma + 1);
    if (item.empty()) continue;
    Matches matched = matches(candidates, item);
    if (!matched.exact) {
      std::erase_if(matched.devices, [&](size_t i) {
        return std::find(choice.devices.begin(), choice.devices.end(), i) != choice.devices.end();
      });
    }
    KEM_TRY(const std::vector<size_t> some, usable(candidates, std::move(matched.devices), item));
    choice.devices.push_back(some.front());
  }
  if (choice.devices.empty()) return fail(ErrorClass::NoDevice, "the list of devices names none");
  return choice;
}

}  // namespace

std::vector<Candidate> describe(const Instance& instance, std::span<const VkPhysicalDevice> devices) {
  std::vector<Candidate> candidates;
  candidates.reserve(devices.size());
  for (const VkPhysicalDevice device : devices)
    candidates.push_back(describe_one(instance, device, static_cast<uint32_t>(candidates.size())));
  return candidates;
}

Result<Choice> choose(std::span<const Candidate> candidates, std::string_view selector) {
  selector = trim(selector);
  if (selector.empty()) return choose_best(candidates);
  if (selector == kAll) {
    KEM_TRY(std::vector<size_t> all, usable(candidates, matches(candidates, "").devices, ""));
    return Choice{std::move(all), {}};
  }
  std::vector<size_t> named = matches(candidates, selector).devices;
  // A name may have a comma.
  if (named.empty() && selector.find(',') != std::string_view::npos) return choose_listed(candidates, selector);
  KEM_TRY(std::vector<size_t> some, usable(candidates, std::move(named), selector));
  return first_of(std::move(some), 1);
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
