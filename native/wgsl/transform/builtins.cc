// Built-in functions to intrinsics. A row of kDirect where GLSL's function means the same; a function below where
// it differs in domain, type or form.
#include <algorithm>
#include <utility>

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
using sem::Builtin;
using sem::Type;
using sem::TypeKind;

// clang-format off
#define KEM_SAME_NAME(ROW) \
  ROW(Acos) ROW(Acosh) ROW(Asin) ROW(Asinh) ROW(Atan) ROW(Atanh) ROW(Ceil) ROW(Cos) ROW(Cosh) ROW(Cross) \
  ROW(Degrees) ROW(Determinant) ROW(Exp) ROW(Exp2) ROW(FaceForward) ROW(Floor) ROW(Fma) ROW(InverseSqrt) \
  ROW(Ldexp) ROW(Log) ROW(Log2) ROW(Max) ROW(Min) ROW(Normalize) ROW(Pow) ROW(Radians) ROW(Reflect) \
  ROW(Refract) ROW(Sign) ROW(Sin) ROW(Sinh) ROW(Sqrt) ROW(Step) ROW(Tan) ROW(Tanh) ROW(Transpose) ROW(Trunc) \
  ROW(CountLeadingZeros) ROW(CountOneBits) ROW(CountTrailingZeros) ROW(FirstLeadingBit) ROW(FirstTrailingBit) \
  ROW(ExtractBits) ROW(InsertBits) ROW(QuantizeToF16) ROW(Smoothstep) ROW(Dot4U8Packed) ROW(Dot4I8Packed) \
  ROW(Pack4x8snorm, Pack4x8Snorm) ROW(Pack4x8unorm, Pack4x8Unorm) ROW(Pack2x16snorm, Pack2x16Snorm) \
  ROW(Pack2x16unorm, Pack2x16Unorm) ROW(Pack2x16float, PackHalf2x16) ROW(Pack4xI8) ROW(Pack4xU8) \
  ROW(Pack4xI8Clamp) ROW(Pack4xU8Clamp) ROW(Unpack4xI8) ROW(Unpack4xU8) ROW(Unpack4x8snorm, UnpackSnorm4x8) \
  ROW(Unpack4x8unorm, UnpackUnorm4x8) ROW(Unpack2x16snorm, UnpackSnorm2x16) ROW(Unpack2x16unorm, UnpackUnorm2x16) \
  ROW(Unpack2x16float, UnpackHalf2x16) ROW(Atan2, Atan) ROW(ReverseBits, BitfieldReverse) ROW(Round, RoundEven) \
  ROW(AtomicLoad) ROW(AtomicStore) ROW(AtomicAdd) ROW(AtomicMax) ROW(AtomicMin) ROW(AtomicAnd) ROW(AtomicOr) \
  ROW(AtomicXor) ROW(AtomicExchange) ROW(WorkgroupBarrier) ROW(StorageBarrier) ROW(SubgroupAdd) \
  ROW(SubgroupExclusiveAdd) ROW(SubgroupInclusiveAdd) ROW(SubgroupAll) ROW(SubgroupAnd) ROW(SubgroupAny) \
  ROW(SubgroupBallot) ROW(SubgroupBroadcast) ROW(SubgroupBroadcastFirst) ROW(SubgroupElect) ROW(SubgroupMax) \
  ROW(SubgroupMin) ROW(SubgroupMul) ROW(SubgroupExclusiveMul) ROW(SubgroupInclusiveMul) ROW(SubgroupOr) \
  ROW(SubgroupShuffle) ROW(SubgroupShuffleDown) ROW(SubgroupShuffleUp) ROW(SubgroupShuffleXor) ROW(SubgroupXor) \
  ROW(QuadBroadcast) ROW(QuadSwapDiagonal) ROW(QuadSwapX) ROW(QuadSwapY)
// clang-format on

std::optional<Intrinsic> direct(Builtin builtin) {
  switch (builtin) {
#define KEM_ROW(...) KEM_ROW_OF(__VA_ARGS__, __VA_ARGS__)
// clang-format off
#define KEM_ROW_OF(id, intrinsic, ...) \
  case Builtin::id:                    \
    return Intrinsic::intrinsic;
    // clang-format on
    KEM_SAME_NAME(KEM_ROW)
#undef KEM_ROW
    default:
      return std::nullopt;
  }
}

bool is_vector(const Value* v) { return sem::as_vector(v->type) != nullptr; }

Value* component(Builder& b, Value* v, uint8_t k) { return b.swizzle(v, {k}); }

Value* magnitude(Builder& b, Value* x) {
  return b.intrinsic(is_vector(x) ? Intrinsic::Length : Intrinsic::Abs, sem::scalar_of(x->type), {x});
}

// GLSL's clamp leaves low > high open; WGSL's is min(max(e, low), high).
Value* clamp(Builder& b, const Type* type, Value* e, Value* low, Value* high) {
  return b.intrinsic(Intrinsic::Min, type, {b.intrinsic(Intrinsic::Max, type, {e, low}), high});
}

Value* dot(Builder& b, Instruction& i) {
  Value* x = i.operands[0];
  Value* y = i.operands[1];
  if (i.type->is_float_scalar()) return b.intrinsic(Intrinsic::Dot, i.type, {x, y});
  Value* products = b.binary(BinaryOp::Multiply, x, y);
  Value* sum = component(b, products, 0);
  const auto width = static_cast<uint8_t>(sem::width_of(x->type));
  for (uint8_t k = 1; k < width; ++k) sum = b.binary(BinaryOp::Add, sum, component(b, products, k));
  return sum;
}

// x * (1 - a) + y * a, the formula of its accuracy: GLSL's mix may be x + (y - x) * a, which is y only nearly at a = 1.
Value* mix(Builder& b, Instruction& i) {
  Value* a = i.operands[2];
  Value* rest = b.binary(BinaryOp::Subtract, ir::constant_number(b.module(), a->type, 1), a);
  Value* of_x = b.binary(BinaryOp::Multiply, i.operands[0], rest);
  return b.binary(BinaryOp::Add, of_x, b.binary(BinaryOp::Multiply, i.operands[1], a));
}

Value* select(Builder& b, Instruction& i) {
  Value* no = i.operands[0];
  Value* yes = i.operands[1];
  Value* condition = i.operands[2];
  if (is_vector(condition)) return b.intrinsic(Intrinsic::Mix, i.type, {no, yes, condition});
  return b.intrinsic(Intrinsic::Ternary, i.type, {condition, yes, no});
}

// Bits as u32, or vec of u32, of any 32-bit type.
Value* to_u32_bits(Builder& b, Value* x) {
  const Type* type = b.types().with_scalar(x->type, b.types().u32());
  if (sem::scalar_of(x->type)->is(TypeKind::F32)) return b.intrinsic(Intrinsic::FloatBitsToUint, type, {x});
  return x->type == type ? x : static_cast<Value*>(b.convert(type, x));
}

Value* from_u32_bits(Builder& b, const Type* type, Value* x) {
  if (sem::scalar_of(type)->is(TypeKind::F32)) return b.intrinsic(Intrinsic::UintBitsToFloat, type, {x});
  return x->type == type ? x : static_cast<Value*>(b.convert(type, x));
}

// Spec "bitcast". Between f16 vectors and 32-bit types by pairs of components.
Value* bitcast(Builder& b, const Type* to, Value* x) {
  const bool from_half = sem::scalar_of(x->type)->is(TypeKind::F16);
  const bool to_half = sem::scalar_of(to)->is(TypeKind::F16);
  if (x->type == to) return x;
  if (!from_half && !to_half) {
    const TypeKind from_kind = sem::scalar_of(x->type)->kind, to_kind = sem::scalar_of(to)->kind;
    if (from_kind == TypeKind::F32 && to_kind == TypeKind::I32) return b.intrinsic(Intrinsic::FloatBitsToInt, to, {x});
    if (from_kind == TypeKind::I32 && to_kind == TypeKind::F32) return b.intrinsic(Intrinsic::IntBitsToFloat, to, {x});
    return from_u32_bits(b, to, to_u32_bits(b, x));
  }
  const Type* u32 = b.types().u32();
  if (from_half) {
    const uint32_t words = sem::width_of(x->type) / 2;
    if (words == 1) return from_u32_bits(b, to, b.intrinsic(Intrinsic::PackFloat2x16, u32, {x}));
    Value* low = b.intrinsic(Intrinsic::PackFloat2x16, u32, {b.swizzle(x, {0, 1})});
    Value* high = b.intrinsic(Intrinsic::PackFloat2x16, u32, {b.swizzle(x, {2, 3})});
    return from_u32_bits(b, to, b.construct(b.types().vec(u32, 2), {low, high}));
  }
  const Type* pair = b.types().vec(b.types().f16(), 2);
  Value* bits = to_u32_bits(b, x);
  if (!is_vector(bits)) return b.intrinsic(Intrinsic::UnpackFloat2x16, pair, {bits});
  Value* low = b.intrinsic(Intrinsic::UnpackFloat2x16, pair, {component(b, bits, 0)});
  Value* high = b.intrinsic(Intrinsic::UnpackFloat2x16, pair, {component(b, bits, 1)});
  return b.construct(to, {low, high});
}

Value* frexp(Builder& b, Instruction& i) {
  const auto& members = sem::as_struct(i.type)->members;
  Instruction* exponent = b.var(members[1].type, ir::constant_zero(b.module(), members[1].type), "exponent");
  Value* fraction = b.intrinsic(Intrinsic::Frexp, members[0].type, {i.operands[0], exponent});
  return b.construct(i.type, {fraction, b.load(exponent)});
}

Value* modf(Builder& b, Instruction& i) {
  Value* x = i.operands[0];
  Value* whole = b.intrinsic(Intrinsic::Trunc, x->type, {x});
  return b.construct(i.type, {b.binary(BinaryOp::Subtract, x, whole), whole});
}

Value* compare_exchange(Builder& b, Instruction& i) {
  Value* compare = i.operands[1];
  Value* old = b.intrinsic(Intrinsic::AtomicCompSwap, compare->type, {i.operands[0], compare, i.operands[2]});
  return b.construct(i.type, {old, b.binary(BinaryOp::Equal, old, compare)});
}

// Spec "workgroupUniformLoad": a barrier on either side of the load.
Value* uniform_load(Builder& b, Instruction& i) {
  const auto barrier = [&] { b.intrinsic(Intrinsic::WorkgroupBarrier, b.types().void_type(), {}); };
  barrier();
  Value* pointer = i.operands[0];
  const auto* atomic = sem::as_atomic(sem::as_pointer(pointer->type)->store);
  Value* value = atomic != nullptr ? b.intrinsic(Intrinsic::AtomicLoad, atomic->element, {pointer}) : b.load(pointer);
  barrier();
  return value;
}

Rewritten builtin(Builder& b, Instruction& i) {
  const auto& x = i.operands;
  switch (i.builtin) {
    case Builtin::Bitcast:
      return bitcast(b, i.type, x[0]);
    case Builtin::All:
    case Builtin::Any:
      if (!is_vector(x[0])) return x[0];
      return b.intrinsic(i.builtin == Builtin::All ? Intrinsic::All : Intrinsic::Any, i.type, {x[0]});
    case Builtin::Select:
      return select(b, i);
    case Builtin::Abs:
      if (sem::scalar_of(i.type)->is(TypeKind::U32)) return x[0];
      return b.intrinsic(Intrinsic::Abs, i.type, {x[0]});
    case Builtin::Clamp:
      return clamp(b, i.type, x[0], x[1], x[2]);
    case Builtin::Saturate:
      return clamp(b, i.type, x[0], ir::constant_number(b.module(), i.type, 0),
                   ir::constant_number(b.module(), i.type, 1));
    case Builtin::Distance:
      return magnitude(b, b.binary(BinaryOp::Subtract, x[0], x[1]));
    case Builtin::Length:
      return magnitude(b, x[0]);
    case Builtin::Dot:
      return dot(b, i);
    case Builtin::Mix:
      return mix(b, i);
    case Builtin::Fract:
      return b.binary(BinaryOp::Subtract, x[0], b.intrinsic(Intrinsic::Floor, i.type, {x[0]}));
    case Builtin::Frexp:
      return frexp(b, i);
    case Builtin::Modf:
      return modf(b, i);
    case Builtin::AtomicSub: {
      Value* negated = b.binary(BinaryOp::Subtract, ir::constant_zero(b.module(), i.type), x[1]);
      return b.intrinsic(Intrinsic::AtomicAdd, i.type, {x[0], negated});
    }
    case Builtin::AtomicCompareExchangeWeak:
      return compare_exchange(b, i);
    case Builtin::WorkgroupUniformLoad:
      return uniform_load(b, i);
    case Builtin::TextureBarrier:
      return b.intrinsic(Intrinsic::WorkgroupBarrier, i.type, {});
    default:
      if (const auto intrinsic = direct(i.builtin)) return b.intrinsic(*intrinsic, i.type, i.operands);
      return std::nullopt;
  }
}

}  // namespace

Rewriter builtins(ir::Module& module) {
  return Rewriter(module, Ops(Op::Builtin), [](Builder& b, Instruction& i) { return builtin(b, i); });
}

}  // namespace kem::wgsl::transform
