// The Vulkan API, without prototypes: functions come from volk's tables.
#pragma once

// The core header by its own name: <vulkan/vulkan.h> would find this folder's public header.
#define VOLK_VULKAN_H_PATH <vulkan/vulkan_core.h>
#include <volk.h>
