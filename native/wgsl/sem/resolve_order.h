// The order in which module-scope declarations are resolved: each after those that it mentions (spec
// "Declaration and Scope": module-scope declarations may appear in any order and must not be recursive).
#pragma once

#include <cstdint>
#include <functional>

#include "base/diagnostic.h"
#include "wgsl/sem/scope.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// Deepest expression tree that is accepted: every walk over the tree recurses no deeper.
inline constexpr uint32_t kDeepestExpression = 1000;

// Name of a declaration; empty for a const_assert.
ast::Ident name_of(const ast::Decl& declaration);

// Calls `f` with each index into Module::declarations, behind those that the declaration mentions, and whether it is
// part of a cycle. `by_name` maps each module-scope name to its declaration's index. Adds an error for every cycle.
// A declaration is looked through just before `f` gets it, unless it stands before what it mentions: the tree is in
// the caches then. Ends early if the diagnostics are full.
void in_order(const ast::Module& module, const NameTable& by_name, Diagnostics& diagnostics,
              const std::function<void(uint32_t index, bool in_cycle)>& f);

}  // namespace kem::wgsl::sem
