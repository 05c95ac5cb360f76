// The order in which module-scope declarations are resolved: each after those that it mentions (spec
// "Declaration and Scope": module-scope declarations may appear in any order and must not be recursive).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/sem/scope.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// Deepest expression tree that is accepted: every walk over the tree recurses no deeper.
inline constexpr uint32_t kDeepestExpression = 1000;

// Name of a declaration; empty for a const_assert.
ast::Ident name_of(const ast::Decl& declaration);

struct ResolveOrder {
  std::vector<uint32_t> order;  // indices into Module::declarations
  std::vector<bool> in_cycle;   // by index: these have been reported
};

// `by_name` maps each module-scope name to its declaration's index. Adds an error for every cycle.
ResolveOrder order_declarations(const ast::Module& module, const NameTable& by_name, Diagnostics& diagnostics);

}  // namespace kem::wgsl::sem
