// The signatures of built-in functions and operators (spec "Built-in Functions", "Arithmetic Expressions",
// "Logical Expressions", "Comparison Expressions", "Bit Expressions").
#pragma once

#include <span>
#include <string_view>

#include "wgsl/sem/builtin.h"
#include "wgsl/sem/overload.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

enum BuiltinFlag : uint8_t {
  kConst = 1,      // is a const-function
  kMustUse = 2,    // a call must not be a statement
  kFragment = 4,   // only in the fragment stage
  kCompute = 8,    // only in the compute stage
  kSubgroup = 16,  // needs `enable subgroups`; only in the compute and fragment stages
  kSpecial = 32,   // typed by code: bitcast, arrayLength, workgroupUniformLoad
};

struct BuiltinSignature {
  uint8_t flags = 0;
  std::vector<Overload> overloads;
};

// Immutable, built on first use.
const BuiltinSignature& signature(Builtin builtin);
std::span<const Overload> signature(ast::UnaryOp op);  // Negate, Not, Complement
std::span<const Overload> signature(ast::BinaryOp op);

std::string_view spelling(ast::UnaryOp op);
std::string_view spelling(ast::BinaryOp op);

}  // namespace kem::wgsl::sem
