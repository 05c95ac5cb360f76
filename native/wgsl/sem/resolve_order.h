// The order in which module-scope declarations are resolved: each after those that it mentions (spec
// "Declaration and Scope": module-scope declarations may appear in any order and must not be recursive).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/sem/scope.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// The declarations of a module by their names.
class DeclaredNames {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit DeclaredNames(uint32_t symbol_count) : indices_(symbol_count, kNone) {}
  // An index into Module::declarations; kNone if none has the name.
  uint32_t find(const Symbol* symbol) const { return indices_[symbol->id]; }
  void declare(const Symbol* symbol, uint32_t index) { indices_[symbol->id] = index; }

 private:
  std::vector<uint32_t> indices_;  // by Symbol::id
};

// Name of a declaration; empty for a const_assert.
ast::Ident name_of(const ast::Decl& declaration);

// Calls `f` with each index into Module::declarations, behind those that the declaration mentions, and whether it is
// part of a cycle. `names` tells each module-scope name's declaration. Adds an error for every cycle.
// Ends early if the diagnostics are full.
void in_order(const ast::Module& module, const DeclaredNames& names, Diagnostics& diagnostics,
              const std::function<void(uint32_t index, bool in_cycle)>& f);

}  // namespace kem::wgsl::sem
