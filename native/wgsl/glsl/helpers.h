// The functions that the generated shader defines for ir::Intrinsic's Helper rows: what WGSL defines and GLSL
// leaves open.
#pragma once

#include <map>
#include <set>
#include <string>

#include "wgsl/ir/intrinsic.h"

namespace kem::wgsl::glsl {

// Collects the helpers that a module uses and writes their definitions, in a fixed order.
class Helpers {
 public:
  // A call with first operand of `type` (null if there is none).
  void use(ir::Intrinsic intrinsic, const sem::Type* type);
  std::string definitions() const;

 private:
  struct Key {
    ir::Intrinsic intrinsic;
    sem::TypeKind scalar;
    uint32_t width;
    auto operator<=>(const Key&) const = default;
  };
  std::set<Key> used_;
};

}  // namespace kem::wgsl::glsl
