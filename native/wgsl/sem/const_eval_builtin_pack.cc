// Packing and unpacking, and the packed dot products (spec "Data Packing Built-in Functions", "Data Unpacking
// Built-in Functions", "dot4U8Packed", "dot4I8Packed").
#include <algorithm>
#include <cmath>

#include "wgsl/sem/const_eval_impl.h"
#include "wgsl/sem/half.h"

namespace kem::wgsl::sem::detail {
namespace {

// How a function codes one channel of `bits` bits.
struct Format {
  Builtin builtin;
  uint32_t bits;
  uint32_t (*pack)(const Value* component);     // the channel's bits, the rest ignored
  double (*unpack)(uint32_t channel);           // real channels
  int64_t (*unpack_integer)(uint32_t channel);  // integer channels
};

// Scales and rounds half up, as the specification writes it: floor(0.5 + scale * e). The sum is computed in
// double: exact for every f32 in range that is near a midpoint.
template <int kScale, int kLowest>
uint32_t normalized(const Value* e) {
  const double clamped = std::min(1.0, std::max(double{kLowest}, e->real));
  return static_cast<uint32_t>(static_cast<int32_t>(std::floor(0.5 + kScale * clamped)));
}

template <int kScale, class T>
double from_normalized(uint32_t channel) {
  return std::max(static_cast<double>(static_cast<T>(channel)) / kScale, -1.0);
}

template <int64_t kLow, int64_t kHigh>
uint32_t clamped(const Value* e) {
  return static_cast<uint32_t>(std::clamp(e->integer, kLow, kHigh));
}

uint32_t truncated(const Value* e) { return static_cast<uint32_t>(e->integer); }

template <class T>
int64_t extended(uint32_t channel) {
  return static_cast<T>(channel);
}

// clang-format off
constexpr Format kFormats[] = {
    {Builtin::Pack4x8snorm, 8, normalized<127, -1>, nullptr, nullptr},
    {Builtin::Pack4x8unorm, 8, normalized<255, 0>, nullptr, nullptr},
    {Builtin::Pack4xI8, 8, truncated, nullptr, nullptr},
    {Builtin::Pack4xU8, 8, truncated, nullptr, nullptr},
    {Builtin::Pack4xI8Clamp, 8, clamped<-128, 127>, nullptr, nullptr},
    {Builtin::Pack4xU8Clamp, 8, clamped<0, 255>, nullptr, nullptr},
    {Builtin::Pack2x16snorm, 16, normalized<32767, -1>, nullptr, nullptr},
    {Builtin::Pack2x16unorm, 16, normalized<65535, 0>, nullptr, nullptr},
    {Builtin::Pack2x16float, 16, [](const Value* e) -> uint32_t { return f16_bits(e->real); }, nullptr, nullptr},
    {Builtin::Unpack4x8snorm, 8, nullptr, from_normalized<127, int8_t>, nullptr},
    {Builtin::Unpack4x8unorm, 8, nullptr, from_normalized<255, uint8_t>, nullptr},
    {Builtin::Unpack4xI8, 8, nullptr, nullptr, extended<int8_t>},
    {Builtin::Unpack4xU8, 8, nullptr, nullptr, extended<uint8_t>},
    {Builtin::Unpack2x16snorm, 16, nullptr, from_normalized<32767, int16_t>, nullptr},
    {Builtin::Unpack2x16unorm, 16, nullptr, from_normalized<65535, uint16_t>, nullptr},
    {Builtin::Unpack2x16float, 16, nullptr, [](uint32_t c) { return f16_value(static_cast<uint16_t>(c)); }, nullptr},
};
// clang-format on

const Format* find_format(Builtin builtin) {
  const auto* format = std::ranges::find(kFormats, builtin, &Format::builtin);
  return format == std::end(kFormats) ? nullptr : format;
}

Evaluated pack(const Call& call) {
  const Format& format = *find_format(call.builtin);
  uint32_t packed = 0;
  for (uint32_t i = 0; i < 32 / format.bits; ++i) {
    const uint32_t mask = (1u << format.bits) - 1;
    packed |= (format.pack(call.arg(0, i)) & mask) << (i * format.bits);
  }
  return call.eval.integer(call.result, packed);
}

Evaluated unpack(const Call& call) {
  const Format& format = *find_format(call.builtin);
  return lift(call.eval, call.result, [&](uint32_t i) -> Evaluated {
    const uint32_t channel = call.bits(0) >> (i * format.bits);
    if (format.unpack_integer != nullptr) return call.eval.integer(call.scalar(), format.unpack_integer(channel));
    return call.rounded(format.unpack(channel));
  });
}

template <class T>
Evaluated dot4_packed(const Call& call) {
  int64_t sum = 0;
  for (uint32_t shift = 0; shift < 32; shift += 8) {
    sum += int64_t{static_cast<T>(call.bits(0) >> shift)} * static_cast<T>(call.bits(1) >> shift);
  }
  return call.eval.integer(call.result, sum);
}

}  // namespace

Evaluator find_pack(Builtin builtin) {
  if (builtin == Builtin::Dot4U8Packed) return dot4_packed<uint8_t>;
  if (builtin == Builtin::Dot4I8Packed) return dot4_packed<int8_t>;
  const Format* format = find_format(builtin);
  if (format == nullptr) return nullptr;
  return format->pack != nullptr ? pack : unpack;
}

}  // namespace kem::wgsl::sem::detail
