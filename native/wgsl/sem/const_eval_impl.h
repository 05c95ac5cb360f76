// What the const-evaluator's files share. Private to native/wgsl/sem/const_eval*.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "wgsl/quoted.h"
#include "wgsl/sem/const_eval.h"

namespace kem::wgsl::sem::detail {

inline tl::unexpected<std::string> error(std::string message) {
  return tl::unexpected<std::string>(std::move(message));
}

// Rounds to a floating point type; non-finite where it overflows. The types' arithmetic is done in double and
// rounded once per operation. That gives the correctly rounded result for + - * / and sqrt: double's 53 bits are
// at least 2p + 2 for p = 24 (f32) and p = 11 (f16), so the first rounding never moves a result across or onto a
// midpoint of the narrow type (and f16's sums and both types' products are exact in double anyway).
double round_to(TypeKind kind, double value);
// The largest finite value of the type.
double max_finite(TypeKind kind);

// Arithmetic in one floating point type, a rounding per operation. `finite` is false once any result was not.
class Real {
 public:
  explicit Real(const Type* scalar) : kind_(scalar->kind) {}
  double operator()(double exact) {
    const double rounded = round_to(kind_, exact);
    if (!(rounded - rounded == 0)) finite_ = false;
    return rounded;
  }
  double add(double a, double b) { return (*this)(a + b); }
  double sub(double a, double b) { return (*this)(a - b); }
  double mul(double a, double b) { return (*this)(a * b); }
  double div(double a, double b) { return (*this)(a / b); }
  bool finite() const { return finite_; }

 private:
  TypeKind kind_;
  bool finite_ = true;
};

// `i`th component of a vector; a scalar is its own component everywhere.
inline const Value* lane(ConstEval& eval, const Value* value, uint32_t i) {
  return value->type->is_scalar() ? value : eval.component(value, i);
}

// Builds a value of `result` (a scalar or a vector) from f(i), an Evaluated, for every component.
template <class F>
Evaluated lift(ConstEval& eval, const Type* result, F f) {
  const Vector* vector = as_vector(result);
  if (vector == nullptr) return f(0u);
  const Value* components[4];
  for (uint32_t i = 0; i < vector->width; ++i) {
    Evaluated component = f(i);
    if (!component) return component;
    components[i] = *component;
  }
  return eval.composite(result, std::span<const Value* const>(components, vector->width));
}

// Number of components of a composite (of its type, not of its representation); 0 for scalars.
uint64_t component_count(const Type* type);
const Type* component_type(const Type* type, uint64_t index);

// One call of a @const built-in function.
struct Call {
  ConstEval& eval;
  Builtin builtin;
  std::span<const Value* const> args;
  const Type* result;

  const Type* scalar() const { return scalar_of(result); }
  uint32_t width() const { return width_of(args[0]->type); }
  const Value* arg(size_t n, uint32_t i) const { return lane(eval, args[n], i); }
  double real(size_t n, uint32_t i = 0) const { return arg(n, i)->real; }
  int64_t integer(size_t n, uint32_t i = 0) const { return arg(n, i)->integer; }
  uint32_t bits(size_t n, uint32_t i = 0) const { return static_cast<uint32_t>(arg(n, i)->integer); }

  // The call as written in a diagnostic: 'exp(1000)'.
  std::string text() const;
  tl::unexpected<std::string> fail(std::string_view why) const;
  tl::unexpected<std::string> not_finite(const Type* type) const;
  // The value if it is finite in the scalar type of the result, rounded to it; else the error that says so.
  Evaluated rounded(double exact) const;
};

using Evaluator = Evaluated (*)(const Call&);

// The evaluator of a built-in function, by topic; null where the topic does not have it.
Evaluator find_math(Builtin builtin);
Evaluator find_geometry(Builtin builtin);
Evaluator find_bits(Builtin builtin);
Evaluator find_pack(Builtin builtin);
Evaluator find_matrix(Builtin builtin);

// Linear algebra products: at least one operand is a matrix.
Evaluated multiply_matrix(ConstEval& eval, const Value* lhs, const Value* rhs, const Type* result);

// The sum of lhs[i] * rhs[i] in the scalar type of the operands: wraps for i32 and u32.
Evaluated dot(ConstEval& eval, const Value* lhs, const Value* rhs);

// One scalar operation, and the rules of its operands.
Evaluated scalar_binary(ConstEval& eval, ast::BinaryOp op, const Value* lhs, const Value* rhs, const Type* result);

// Reduces modulo 2^32 to the range of i32 or u32.
int64_t wrap(TypeKind kind, int64_t value);

}  // namespace kem::wgsl::sem::detail
