#include "wgsl/sem/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kem::wgsl::sem {
namespace {

constexpr int kF16FractionBits = 10;
constexpr int kF16Bias = 15;
constexpr int kF16MinExponent = 1 - kF16Bias;  // of the smallest normal number, and of every subnormal one

}  // namespace

double round_half_even(double value) {
  const double whole = std::trunc(value);
  const double fraction = std::fabs(value - whole);  // exact
  if (fraction < 0.5) return std::copysign(whole, value);
  const bool whole_is_odd = std::fmod(whole, 2.0) != 0;
  if (fraction == 0.5 && !whole_is_odd) return std::copysign(whole, value);
  return whole + std::copysign(1.0, value);
}

double round_to_f16(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), kF16MinExponent);
  // Scaling by a power of two is exact in double for every value that does not round to zero or overflow.
  const double rounded =
      std::ldexp(round_half_even(std::ldexp(value, kF16FractionBits - exponent)), exponent - kF16FractionBits);
  if (std::fabs(rounded) > kMaxF16) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

double round_to_f32(double value) {
  // Halfway between the largest finite number and the power of two above it.
  constexpr double kOverflow = 340282356779733661637539395458142568448.0;
  const double magnitude = std::fabs(value);
  if (magnitude >= kOverflow) return std::copysign(std::numeric_limits<double>::infinity(), value);
  if (magnitude > kMaxF32) return std::copysign(kMaxF32, value);
  return static_cast<double>(static_cast<float>(value));
}

uint16_t f16_bits(double value) {
  const double rounded = round_to_f16(value);
  const unsigned sign = std::signbit(rounded) ? 0x8000u : 0u;
  if (std::isnan(rounded)) return static_cast<uint16_t>(sign | 0x7e00u);
  if (std::isinf(rounded)) return static_cast<uint16_t>(sign | 0x7c00u);
  if (rounded == 0) return static_cast<uint16_t>(sign);
  const int exponent = std::max(std::ilogb(rounded), kF16MinExponent);
  // A whole number: at least 1024 for normal numbers, whose leading bit carries into the exponent field.
  const auto significand = static_cast<unsigned>(std::ldexp(std::fabs(rounded), kF16FractionBits - exponent));
  const auto field = static_cast<unsigned>(exponent - kF16MinExponent) << kF16FractionBits;
  return static_cast<uint16_t>(sign | (field + significand));
}

double f16_value(uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int field = (bits >> kF16FractionBits) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (field == 0x1f) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const int significand = field == 0 ? fraction : fraction + 0x400;
  const int exponent = std::max(field, 1) - kF16Bias - kF16FractionBits;
  return sign * std::ldexp(static_cast<double>(significand), exponent);
}

uint32_t f32_bits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(round_to_f32(value))); }

double f32_value(uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); }

}  // namespace kem::wgsl::sem
