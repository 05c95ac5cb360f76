// Evaluation of const-expressions' operations (spec "const Expressions", "Floating Point Evaluation"): one
// operation at a time over values that are already known, with the specified precision and the specified
// errors (overflow, division by zero, shift too far, index out of range, non-finite result).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>

#include "base/arena.h"
#include "base/limits.h"
#include "wgsl/sem/builtin.h"
#include "wgsl/sem/type.h"
#include "wgsl/sem/value.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// The value, or why the specification gives none (a diagnostic's message: lower case, no full stop).
using Evaluated = tl::expected<const Value*, std::string>;

class ConstEval {
 public:
  // Values are allocated in the table's arena. Steps over Limits::const_eval_steps are an error.
  ConstEval(TypeTable& types, const Limits& limits) : ConstEval(types, limits, types.arena()) {}
  // Values are made in `values`, which must outlive them.
  ConstEval(TypeTable& types, const Limits& limits, Arena& values) : types_(types), limits_(limits), values_(values) {}

  const Value* boolean(bool value);
  // `type` is AbstractInt, I32 or U32, and `value` is in its range.
  const Value* integer(const Type* type, int64_t value);
  // `type` is AbstractFloat, F32 or F16: rounds; the caller knows that the result is finite.
  const Value* real(const Type* type, double value);
  // A composite of exactly these components. Over Limits::composite_elements: error.
  Evaluated composite(const Type* type, std::span<const Value* const> components);
  // Spec "Zero Value Built-in Functions". Any constructible type of creation-fixed footprint.
  const Value* zero(const Type* type);
  const Value* literal(const ast::Literal& literal);

  // Component `index` of a composite, which is in range.
  const Value* component(const Value* composite, uint64_t index);
  // e[i]: checks the range (spec "Vector/Matrix/Array Access Expression").
  Evaluated index(const Value* composite, const Value* i);
  Evaluated swizzle(const Value* vector, std::span<const uint8_t> indices, const Type* result);

  // Feasible automatic conversion (spec "Conversion Rank"), component-wise: an error if the value is out of the
  // target's range. Identity if the types are equal.
  Evaluated convert(const Value* value, const Type* target);
  // T(e): explicit scalar or component-wise conversion between concrete or abstract scalars
  // (spec "Value Constructor Built-in Functions": i32(f), u32(i), bool(x), f32(b) … saturating float to integer).
  Evaluated cast(const Value* value, const Type* target);
  // vecN(…), matCxR(…), array(…), S(…): the arguments already have the component types the overload asks for;
  // vectors among a vec constructor's arguments are flattened, one scalar is splatted.
  Evaluated construct(const Type* type, std::span<const Value* const> arguments);

  // `result` is the type that overload resolution gave; operands already have the overload's parameter types.
  Evaluated unary(ast::UnaryOp op, const Value* operand, const Type* result);
  Evaluated binary(ast::BinaryOp op, const Value* lhs, const Value* rhs, const Type* result);
  // A @const built-in function.
  Evaluated builtin(Builtin builtin, std::span<const Value* const> arguments, const Type* result);

  // Errors that a constant operand alone causes in a run-time or override expression: `x / 0`, `x % 0`,
  // `x << 32u`, an index out of a fixed range, clamp(x, hi, lo), extractBits(…) bounds, ldexp, smoothstep …
  // Empty if there is nothing wrong. Null entries are arguments that are not constant.
  std::string check_binary(ast::BinaryOp op, const Type* lhs_type, const Value* lhs_or_null, const Value* rhs_or_null);
  std::string check_builtin(Builtin builtin, std::span<const Value* const> arguments_or_null,
                            std::span<const Type* const> argument_types);

  // Structural equality: for switch selectors and tests. -0.0 equals 0.0.
  static bool equal(const Value* a, const Value* b);
  // Whether every scalar in it is false or 0 (or -0.0).
  static bool is_zero(const Value* value);

  TypeTable& types() { return types_; }

 private:
  Value* allocate(const Type* type);
  // Counts scalar operations; false once there are more than the limit.
  bool charge(uint64_t steps);
  tl::unexpected<std::string> out_of_steps() const;

  TypeTable& types_;
  const Limits& limits_;
  Arena& values_;
  uint64_t steps_ = 0;
  std::unordered_map<const Type*, const Value*> zeros_;  // one zero value per type
};

// The value's WGSL spelling, for diagnostics: "vec2<i32>(1, 2)", "1.5".
std::string spelling(const Value* value);

}  // namespace kem::wgsl::sem
