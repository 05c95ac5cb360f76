// volk's definitions: the one place where the Vulkan loader's functions live.
#define VOLK_IMPLEMENTATION
#include "vulkan/api.h"
