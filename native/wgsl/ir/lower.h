// AST and resolver's side tables to IR: one entry point, overrides replaced by their values.
#pragma once

#include <memory>
#include <unordered_map>

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

}  // namespace kem::wgsl::ir
