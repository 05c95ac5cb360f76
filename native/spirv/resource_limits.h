// The table of implementation limits that glslang's parser asks for.
#pragma once

#include <glslang/Include/ResourceLimits.h>

namespace kem::spirv {

// No compute limit binds here: what a device can do is checked where the device is known, and glslang's own
// numbers (such as 1,024 x 1,024 x 64 invocations) would refuse shaders that a device runs.
const TBuiltInResource& resource_limits();

}  // namespace kem::spirv
