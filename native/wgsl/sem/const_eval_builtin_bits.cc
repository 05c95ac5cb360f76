// Functions of integers' bits (spec "countLeadingZeros" … "reverseBits", "bitcast").
#include <algorithm>
#include <bit>
#include <cmath>

#include "wgsl/sem/const_eval_impl.h"
#include "wgsl/sem/half.h"

namespace kem::wgsl::sem::detail {
namespace {

constexpr uint32_t kNone = 0xffffffff;  // what firstLeadingBit and firstTrailingBit answer for no bit: T(-1)

struct Function1 {
  Builtin builtin;
  uint32_t (*function)(uint32_t bits, bool is_signed);
};

uint32_t first_leading_bit(uint32_t e, bool is_signed) {
  if (is_signed && (e >> 31) != 0) e = ~e;
  return e == 0 ? kNone : static_cast<uint32_t>(31 - std::countl_zero(e));
}

uint32_t first_trailing_bit(uint32_t e, bool) { return e == 0 ? kNone : static_cast<uint32_t>(std::countr_zero(e)); }

uint32_t reverse_bits(uint32_t e, bool) {
  uint32_t out = 0;
  for (int i = 0; i < 32; ++i) out |= ((e >> i) & 1u) << (31 - i);
  return out;
}

constexpr Function1 kFunctions1[] = {
    {Builtin::CountLeadingZeros, [](uint32_t e, bool) { return static_cast<uint32_t>(std::countl_zero(e)); }},
    {Builtin::CountOneBits, [](uint32_t e, bool) { return static_cast<uint32_t>(std::popcount(e)); }},
    {Builtin::CountTrailingZeros, [](uint32_t e, bool) { return static_cast<uint32_t>(std::countr_zero(e)); }},
    {Builtin::FirstLeadingBit, first_leading_bit},
    {Builtin::FirstTrailingBit, first_trailing_bit},
    {Builtin::ReverseBits, reverse_bits},
};

const Value* from_bits(const Call& call, uint32_t bits) {
  return call.eval.integer(call.scalar(), wrap(call.scalar()->kind, bits));
}

Evaluated function1(const Call& call) {
  const auto* row = std::ranges::find(kFunctions1, call.builtin, &Function1::builtin);
  const bool is_signed = call.scalar()->is(TypeKind::I32);
  return lift(call.eval, call.result,
              [&](uint32_t i) -> Evaluated { return from_bits(call, row->function(call.bits(0, i), is_signed)); });
}

// The lowest `count` bits set; count is at most 32.
uint32_t low_mask(uint32_t count) { return count == 32 ? kNone : (1u << count) - 1; }

Evaluated extract_bits(const Call& call) {
  const uint32_t offset = call.bits(1), count = call.bits(2);
  const bool is_signed = call.scalar()->is(TypeKind::I32);
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    if (count == 0) return from_bits(call, 0);
    uint32_t field = (call.bits(0, i) >> offset) & low_mask(count);
    if (is_signed && (field >> (count - 1)) != 0) field |= ~low_mask(count);
    return from_bits(call, field);
  });
}

Evaluated insert_bits(const Call& call) {
  const uint32_t offset = call.bits(2), count = call.bits(3);
  const uint32_t mask = count == 0 ? 0 : low_mask(count) << offset;
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const uint32_t inserted = count == 0 ? 0 : call.bits(1, i) << offset;
    return from_bits(call, (call.bits(0, i) & ~mask) | (inserted & mask));
  });
}

// ---- bitcast --------------------------------------------------------------------------------------------

uint32_t bit_width_of(const Type* scalar) { return scalar->is(TypeKind::F16) ? 16 : 32; }

uint32_t scalar_bits(const Value* value) {
  if (value->type->is(TypeKind::F32)) return f32_bits(value->real);
  if (value->type->is(TypeKind::F16)) return f16_bits(value->real);
  return static_cast<uint32_t>(value->integer);
}

Evaluated value_of_bits(const Call& call, uint32_t bits) {
  const Type* type = call.scalar();
  if (type->is_integer_scalar()) return from_bits(call, bits);
  const double value = type->is(TypeKind::F32) ? f32_value(bits) : f16_value(static_cast<uint16_t>(bits));
  if (!std::isfinite(value)) return call.not_finite(type);
  return call.eval.real(type, value);
}

Evaluated bitcast(const Call& call) {
  const Value* source = call.args[0];
  if (scalar_of(source->type)->is_abstract_scalar()) return call.eval.cast(source, call.result);
  // All bits, lowest component first, in words (spec "Internal Layout of Values"). At most 128.
  uint32_t words[4] = {};
  const uint32_t from = bit_width_of(scalar_of(source->type));
  for (uint32_t i = 0; i < width_of(source->type); ++i) {
    words[i * from / 32] |= scalar_bits(lane(call.eval, source, i)) << (i * from % 32);
  }
  const uint32_t to = bit_width_of(call.scalar());
  return lift(call.eval, call.result, [&](uint32_t i) {
    const uint32_t bits = words[i * to / 32] >> (i * to % 32);
    return value_of_bits(call, to == 16 ? bits & 0xffffu : bits);
  });
}

}  // namespace

Evaluator find_bits(Builtin builtin) {
  switch (builtin) {
    case Builtin::Bitcast:
      return bitcast;
    case Builtin::ExtractBits:
      return extract_bits;
    case Builtin::InsertBits:
      return insert_bits;
    default:
      break;
  }
  const bool found = std::ranges::find(kFunctions1, builtin, &Function1::builtin) != std::end(kFunctions1);
  return found ? function1 : nullptr;
}

}  // namespace kem::wgsl::sem::detail
