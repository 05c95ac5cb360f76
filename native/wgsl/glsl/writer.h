// IR that the transforms have left with plain GLSL meaning, to text. Decides nothing: each operation has one form.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "wgsl/ir/ir.h"

namespace kem::wgsl::glsl {

// Called with each function right before it is written, callees before callers.
using Prepare = std::function<void(ir::Function&)>;

// #version 460 for glslang, target Vulkan 1.1. UnsupportedKernel if the text would be longer than `max_bytes`.
Result<std::string> write(const ir::Module& module, size_t max_bytes, const Prepare& prepare);

// The same in steps.
class Writer {
 public:
  // `module` has its functions; they need no bodies yet. Variables may be added to it before the first function that
  // uses them, and functions before their callers.
  Writer(const ir::Module& module, size_t max_bytes);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // Callees before callers. False if the text has become too long.
  bool function(const ir::Function& function);
  Result<std::string> finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kem::wgsl::glsl
