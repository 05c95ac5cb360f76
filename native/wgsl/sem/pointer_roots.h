// Root identifiers of memory view expressions (spec "Root Identifier"), seen through pointer-typed lets.
#pragma once

#include <unordered_map>

#include "wgsl/sem/program.h"

namespace kem::wgsl::sem {

struct Root {
  const Variable* variable = nullptr;  // the variable, or the parameter of pointer type; null if there is none
  bool full = true;                    // spec "full reference": a view of the whole of it
};

class PointerRoots {
 public:
  PointerRoots(const Info& info, const Function& function);
  // Of an expression of reference or pointer type in the function.
  Root of(const ast::Expr* view) const;

 private:
  const Info& info_;
  std::unordered_map<const Variable*, Root> lets_;
};

}  // namespace kem::wgsl::sem
