// IR that the transforms have left with plain GLSL meaning, to text. Decides nothing: each operation has one form.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "wgsl/ir/ir.h"

namespace kem::wgsl::glsl {

// Called with each function right before it is written, callees before callers.
using Prepare = std::function<void(ir::Function&)>;

// #version 460 for glslang, target Vulkan 1.1. UnsupportedKernel if the text would be longer than `max_bytes`.
Result<std::string> write(const ir::Module& module, size_t max_bytes, const Prepare& prepare);

}  // namespace kem::wgsl::glsl
