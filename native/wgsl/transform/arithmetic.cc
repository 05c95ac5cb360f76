#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Intrinsic;
using ir::Op;
using ir::Value;
using sem::Type;
using sem::TypeKind;

Value* splat(Builder& b, const Type* type, Value* x) {
  return x->type == type ? x : static_cast<Value*>(b.construct(type, {x}));
}

// Calls `test` with every component of an integer constant; false for anything else.
template <class Test>
bool all_components(const Value* v, Test test) {
  if (v->kind != ir::ValueKind::Constant) return false;
  const sem::Value& value = *static_cast<const ir::Constant*>(v)->value;
  if (value.type->is_integer_scalar()) return test(value.integer);
  if (value.components.empty()) return test(0);
  for (const sem::Value* c : value.components) {
    if (!test(c->integer)) return false;
  }
  return true;
}

bool is_safe_divisor(const Value* v) {
  return all_components(v, [](int64_t n) { return n != 0 && n != -1; });
}

// x - y * trunc(x / y): GLSL's % leaves the sign of an integer result open, and has no float form (spec
// "Arithmetic Expressions").
Rewritten remainder(Builder& b, Instruction& i) {
  const Type* type = i.type;
  Value* x = splat(b, type, i.operands[0]);
  Value* y = splat(b, type, i.operands[1]);
  const Type* scalar = sem::scalar_of(type);
  if (scalar->is(TypeKind::U32) && is_safe_divisor(y)) return std::nullopt;
  if (scalar->is(TypeKind::I32) && is_safe_divisor(y)) {
    Value* whole = b.binary(BinaryOp::Multiply, b.binary(BinaryOp::Divide, x, y), y);
    return b.binary(BinaryOp::Subtract, x, whole);
  }
  return b.intrinsic(Intrinsic::Remainder, type, {x, y});
}

Rewritten divide(Builder& b, Instruction& i) {
  if (!sem::scalar_of(i.type)->is_integer_scalar() || is_safe_divisor(i.operands[1])) return std::nullopt;
  return b.intrinsic(Intrinsic::Divide, i.type, {splat(b, i.type, i.operands[0]), splat(b, i.type, i.operands[1])});
}

// Spec "Bit Expressions": the shift amount is taken modulo the width of e1's type.
Rewritten shift(Builder& b, Instruction& i) {
  if (all_components(i.operands[1], [](int64_t n) { return n >= 0 && n < 32; })) return std::nullopt;
  Value* mask = ir::constant_number(b.module(), i.operands[1]->type, 31);
  i.operands[1] = b.binary(BinaryOp::And, i.operands[1], mask);
  return std::nullopt;
}

Rewritten comparison(Builder& b, Instruction& i) {
  if (sem::as_vector(i.type) == nullptr) return std::nullopt;
  static constexpr Intrinsic kByOp[] = {Intrinsic::Equal,         Intrinsic::NotEqual,    Intrinsic::LessThan,
                                        Intrinsic::LessThanEqual, Intrinsic::GreaterThan, Intrinsic::GreaterThanEqual};
  const auto which = static_cast<size_t>(i.binary) - static_cast<size_t>(BinaryOp::Equal);
  return b.intrinsic(kByOp[which], i.type, {i.operands[0], i.operands[1]});
}

Rewritten logical(Builder& b, Instruction& i) {
  if (!sem::scalar_of(i.type)->is(TypeKind::Bool)) return std::nullopt;
  const bool conjunction = i.binary == BinaryOp::And;
  if (i.type->is(TypeKind::Bool)) {
    i.binary = conjunction ? BinaryOp::LogicalAnd : BinaryOp::LogicalOr;
    return std::nullopt;
  }
  return b.intrinsic(conjunction ? Intrinsic::BoolAnd : Intrinsic::BoolOr, i.type, {i.operands[0], i.operands[1]});
}

Rewritten binary(Builder& b, Instruction& i) {
  switch (i.binary) {
    case BinaryOp::Divide:
      return divide(b, i);
    case BinaryOp::Remainder:
      return remainder(b, i);
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return shift(b, i);
    case BinaryOp::And:
    case BinaryOp::Or:
      return logical(b, i);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
      return comparison(b, i);
    default:
      return std::nullopt;
  }
}

// Spec "Floating Point Conversion": float to integer saturates.
Rewritten convert(Builder& b, Instruction& i) {
  const Type* to = sem::scalar_of(i.type);
  Value* x = i.operands[0];
  if (!sem::scalar_of(x->type)->is_float_scalar() || !to->is_integer_scalar()) return std::nullopt;
  return b.intrinsic(to->is(TypeKind::I32) ? Intrinsic::ToI32 : Intrinsic::ToU32, i.type, {x});
}

}  // namespace

Rewriter arithmetic(ir::Module& module) {
  return Rewriter(module, Ops(Op::Binary, Op::Convert, Op::Unary), [](Builder& b, Instruction& i) -> Rewritten {
    switch (i.op) {
      case Op::Binary:
        return binary(b, i);
      case Op::Convert:
        return convert(b, i);
      case Op::Unary:
        if (i.unary != ast::UnaryOp::Not || sem::as_vector(i.type) == nullptr) return std::nullopt;
        return b.intrinsic(Intrinsic::Not, i.type, {i.operands[0]});
      default:
        return std::nullopt;
    }
  });
}

}  // namespace kem::wgsl::transform
