// IR that the transforms have left with plain GLSL meaning, to text. Decides nothing: each operation has one form.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "wgsl/ir/ir.h"

namespace kem::wgsl::glsl {

// #version 460 for glslang, target Vulkan 1.1. UnsupportedKernel if the text would be longer than `max_bytes`.
Result<std::string> write(const ir::Module& module, size_t max_bytes);

}  // namespace kem::wgsl::glsl
