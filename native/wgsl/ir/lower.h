// AST and resolver's side tables to IR: one entry point, overrides replaced by their values.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "wgsl/ir/ir.h"
#include "wgsl/sem/program.h"

namespace kem::wgsl::ir {

using OverrideValues = std::unordered_map<const sem::Variable*, const sem::Value*>;

// Most operations of an entry point and the functions it calls: each costs memory here, in the transforms and, as
// GLSL, in glslang. Honest kernels have some thousands.
constexpr size_t kMaxLoweredInstructions = 1u << 17;
inline bool too_large(const Module& module) { return module.instruction_count() > kMaxLoweredInstructions; }

// Lowers `entry` and every function it calls. What depends on overrides is evaluated here: array counts,
// workgroup_size, override-expressions within functions, const_asserts; their errors go to `diagnostics`, and
// the result is null then. The Program's type table grows: the caller holds its lock.
// Lowering stops where the module gets too_large(): what it gives then is not whole.
std::unique_ptr<Module> lower(const Program::Impl& program, const sem::Function& entry, const OverrideValues& overrides,
                              const Options& options, Diagnostics& diagnostics);

// Sees functions as they are lowered. False stops the lowering.
class FunctionSink {
 public:
  virtual ~FunctionSink() = default;
  // Before the first: the module with its variables, sizes and functions, of which none has a body yet.
  virtual bool begin(Module& module) = 0;
  // Then, if there are any, those that take pointers into module-scope memory, callees before callers. Their bodies
  // stay.
  virtual void with_pointers(std::span<Function* const> functions) = 0;
  // Then the others.
  // Callees before callers. When it returns, the bodies are gone, and so is every value that was made for them.
  virtual bool functions(Module& module, std::span<Function* const> functions) = 0;
};

// The same, but each function is given away before the next is lowered, in the same memory: a large module never is as
// a whole. Null if there was an error, if the sink stopped it, or where the module is too_large().
std::unique_ptr<Module> lower_each(const Program::Impl& program, const sem::Function& entry,
                                   const OverrideValues& overrides, const Options& options, Diagnostics& diagnostics,
                                   FunctionSink& sink);

// The functions that `entry` calls and itself, callees before callers.
std::vector<const sem::Function*> reachable(const sem::Info& info, const sem::Function& entry);

}  // namespace kem::wgsl::ir
