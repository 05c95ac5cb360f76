// Unary and binary operators (spec "Logical Expressions", "Arithmetic Expressions", "Comparison Expressions",
// "Bit Expressions"). i32 and u32 wrap on + - * and unary minus; abstract-int and every division, remainder and
// shift report overflow.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "wgsl/sem/const_eval_impl.h"

namespace kem::wgsl::sem {

using detail::error;
using detail::lane;

namespace {

using ast::BinaryOp;
using ast::UnaryOp;

std::string_view spelling_of(BinaryOp op) {
  static constexpr std::string_view kSpellings[] = {"+",  "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                                    ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">="};
  return kSpellings[static_cast<size_t>(op)];
}

std::string operation(BinaryOp op, const Value* lhs, const Value* rhs) {
  return "'" + spelling(lhs) + " " + std::string(spelling_of(op)) + " " + spelling(rhs) + "'";
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal; }

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Equal:
      return a == b;
    case BinaryOp::NotEqual:
      return a != b;
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::Greater:
      return a > b;
    default:
      return a >= b;
  }
}

bool boolean_operation(BinaryOp op, bool a, bool b) {
  switch (op) {
    case BinaryOp::And:
    case BinaryOp::LogicalAnd:
      return a && b;
    case BinaryOp::Or:
    case BinaryOp::LogicalOr:
      return a || b;
    case BinaryOp::Equal:
      return a == b;
    default:
      return a != b;
  }
}

int64_t lowest(TypeKind kind) {
  if (kind == TypeKind::I32) return std::numeric_limits<int32_t>::min();
  if (kind == TypeKind::U32) return 0;
  return std::numeric_limits<int64_t>::min();
}

bool fits(TypeKind kind, int64_t value) { return kind == TypeKind::AbstractInt || detail::wrap(kind, value) == value; }

// a << n without overflow: the bits shifted out all equal the sign bit of the result (0 for u32).
std::optional<int64_t> shift_left(TypeKind kind, int64_t a, uint32_t n) {
  if (a == 0) return 0;
  if (n > 63) return std::nullopt;
  const auto shifted = static_cast<int64_t>(static_cast<uint64_t>(a) << n);
  if (shifted >> n != a || !fits(kind, shifted)) return std::nullopt;
  return shifted;
}

// The exact result of + - * on integers: modulo 2^32 for concrete types, null on overflow for abstract-int.
std::optional<int64_t> add_or_multiply(BinaryOp op, TypeKind kind, int64_t a, int64_t b) {
  int64_t exact = 0;
  const bool overflow = op == BinaryOp::Add        ? __builtin_add_overflow(a, b, &exact)
                        : op == BinaryOp::Subtract ? __builtin_sub_overflow(a, b, &exact)
                                                   : __builtin_mul_overflow(a, b, &exact);
  if (kind != TypeKind::AbstractInt) return detail::wrap(kind, exact);  // the low 64 bits are right either way
  if (overflow) return std::nullopt;
  return exact;
}

// What makes the second operand wrong whatever the first is; empty if nothing does.
std::string check_right_operand(BinaryOp op, const Type* lhs_type, const Value* rhs) {
  const bool divides = op == BinaryOp::Divide || op == BinaryOp::Remainder;
  if (divides && rhs->type->is_integer_scalar() && rhs->integer == 0) return "integer division by zero";
  const bool shifts = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  if (shifts && !lhs_type->is_abstract_scalar() && rhs->integer > 31) {
    return "shift by " + std::to_string(rhs->integer) + " bits: '" + spelling(lhs_type) + "' has 32";
  }
  return {};
}

std::optional<int64_t> integer_operation(BinaryOp op, TypeKind kind, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
      return add_or_multiply(op, kind, a, b);
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
      if (b == -1 && a == lowest(kind)) return std::nullopt;
      return op == BinaryOp::Divide ? a / b : a % b;
    case BinaryOp::And:
      return a & b;
    case BinaryOp::Or:
      return a | b;
    case BinaryOp::Xor:
      return a ^ b;
    case BinaryOp::ShiftLeft:
      return shift_left(kind, a, static_cast<uint32_t>(b));
    default:  // ShiftRight: arithmetic, and u32 is never negative
      return a >> std::min<int64_t>(b, 63);
  }
}

double real_operation(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Subtract:
      return a - b;
    case BinaryOp::Multiply:
      return a * b;
    case BinaryOp::Divide:
      return a / b;
    default:
      return std::fmod(a, b);  // a - b * trunc(a / b), exactly
  }
}

bool is_matrix_product(BinaryOp op, const Value* lhs, const Value* rhs) {
  if (op != BinaryOp::Multiply) return false;
  const bool left = lhs->type->is(TypeKind::Matrix), right = rhs->type->is(TypeKind::Matrix);
  return (left && !rhs->type->is_scalar()) || (right && !lhs->type->is_scalar());
}

Evaluated unary_scalar(ConstEval& eval, UnaryOp op, const Value* operand) {
  const Type* type = operand->type;
  if (op == UnaryOp::Not) return eval.boolean(!operand->boolean);
  if (op == UnaryOp::Complement) return eval.integer(type, detail::wrap(type->kind, ~operand->integer));
  if (type->is_float_scalar()) return eval.real(type, -operand->real);
  if (operand->integer == lowest(type->kind)) return operand;
  return eval.integer(type, -operand->integer);
}

}  // namespace

namespace detail {

int64_t wrap(TypeKind kind, int64_t value) {
  if (kind == TypeKind::I32) return static_cast<int32_t>(static_cast<uint32_t>(value));
  if (kind == TypeKind::U32) return static_cast<uint32_t>(value);
  return value;
}

Evaluated scalar_binary(ConstEval& eval, BinaryOp op, const Value* lhs, const Value* rhs, const Type* result) {
  const Type* type = lhs->type;
  if (type->is(TypeKind::Bool)) return eval.boolean(boolean_operation(op, lhs->boolean, rhs->boolean));
  if (type->is_float_scalar()) {
    if (is_comparison(op)) return eval.boolean(compare(op, lhs->real, rhs->real));
    const double value = round_to(type->kind, real_operation(op, lhs->real, rhs->real));
    if (std::isfinite(value)) return eval.real(result, value);
    return error(operation(op, lhs, rhs) + " has no finite value in '" + sem::spelling(type) + "'");
  }
  if (is_comparison(op)) return eval.boolean(compare(op, lhs->integer, rhs->integer));
  if (std::string wrong = check_right_operand(op, type, rhs); !wrong.empty()) return error(std::move(wrong));
  if (const auto value = integer_operation(op, type->kind, lhs->integer, rhs->integer)) {
    return eval.integer(result, *value);
  }
  return error(operation(op, lhs, rhs) + " overflows '" + sem::spelling(type) + "'");
}

}  // namespace detail

Evaluated ConstEval::unary(ast::UnaryOp op, const Value* operand, const Type* result) {
  if (!charge(width_of(operand->type))) return out_of_steps();
  return detail::lift(*this, result, [&](uint32_t i) { return unary_scalar(*this, op, lane(*this, operand, i)); });
}

Evaluated ConstEval::binary(ast::BinaryOp op, const Value* lhs, const Value* rhs, const Type* result) {
  if (is_matrix_product(op, lhs, rhs)) {
    if (!charge(64)) return out_of_steps();  // of a 4x4 product, the largest
    return detail::multiply_matrix(*this, lhs, rhs, result);
  }
  if (const Matrix* matrix = as_matrix(result)) {  // + and - of two matrices, * by a scalar
    const Value* columns[4];
    for (uint32_t i = 0; i < matrix->columns; ++i) {
      const Value* left = lhs->type->is_scalar() ? lhs : component(lhs, i);
      const Value* right = rhs->type->is_scalar() ? rhs : component(rhs, i);
      Evaluated column = binary(op, left, right, matrix->column);
      if (!column) return column;
      columns[i] = *column;
    }
    return composite(result, std::span<const Value* const>(columns, matrix->columns));
  }
  if (!charge(width_of(result))) return out_of_steps();
  return detail::lift(*this, result, [&](uint32_t i) {
    return detail::scalar_binary(*this, op, lane(*this, lhs, i), lane(*this, rhs, i), scalar_of(result));
  });
}

std::string ConstEval::check_binary(ast::BinaryOp op, const Type* lhs_type, const Value* lhs_or_null,
                                    const Value* rhs_or_null) {
  const Type* scalar = scalar_of(lhs_type);
  if (rhs_or_null == nullptr || !scalar->is_integer_scalar()) return {};
  const bool relevant =
      op == BinaryOp::Divide || op == BinaryOp::Remainder || op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  if (!relevant) return {};
  const uint32_t width = std::max(width_of(lhs_type), width_of(rhs_or_null->type));
  for (uint32_t i = 0; i < width; ++i) {
    const Value* rhs = lane(*this, rhs_or_null, i);
    if (std::string wrong = check_right_operand(op, scalar, rhs); !wrong.empty()) return wrong;
    if (lhs_or_null == nullptr) continue;
    const Value* lhs = lane(*this, lhs_or_null, i);
    const Evaluated value = detail::scalar_binary(*this, op, lhs, rhs, scalar);
    if (!value) return value.error();
  }
  return {};
}

}  // namespace kem::wgsl::sem
