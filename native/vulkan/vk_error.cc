#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

struct Row {
  VkResult result;
  std::string_view name;
  ErrorClass error_class;
};

constexpr Row kRows[] = {
    {VK_SUCCESS, "VK_SUCCESS", ErrorClass::Internal},
    {VK_NOT_READY, "VK_NOT_READY", ErrorClass::Internal},
    {VK_TIMEOUT, "VK_TIMEOUT", ErrorClass::Timeout},
    {VK_INCOMPLETE, "VK_INCOMPLETE", ErrorClass::Internal},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY", ErrorClass::OutOfMemory},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY", ErrorClass::OutOfMemory},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", ErrorClass::OutOfMemory},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", ErrorClass::OutOfMemory},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", ErrorClass::OutOfMemory},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", ErrorClass::NoDevice},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER", ErrorClass::NoDevice},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT", ErrorClass::NoDevice},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", ErrorClass::NoDevice},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", ErrorClass::NoDevice},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST", ErrorClass::DeviceLost},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED", ErrorClass::OutOfMemory},
    {VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV", ErrorClass::Internal},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", ErrorClass::Internal},
};

const Row* find(VkResult result) {
  for (const Row& row : kRows)
    if (row.result == result) return &row;
  return nullptr;
}

}  // namespace

std::string name(VkResult result) {
  const Row* const row = find(result);
  return row != nullptr ? std::string(row->name) : "VkResult " + std::to_string(static_cast<int>(result));
}

tl::unexpected<Error> failure(std::string_view call, VkResult result) {
  const Row* const row = find(result);
  return fail(row != nullptr ? row->error_class : ErrorClass::Internal, std::string(call) + ": " + name(result));
}

}  // namespace kem::vulkan
