// Rounding to IEEE-754 binary16 and binary32 (spec "Floating Point Types"), nearest, ties to even. Values are held
// as the double that equals them exactly.
#pragma once

#include <cstdint>

namespace kem::wgsl::sem {

inline constexpr double kMaxF16 = 65504.0;
inline constexpr double kMaxF32 = 340282346638528859811704183484516925440.0;

// The integer nearest to `value`, ties to even, whatever the thread's rounding mode is.
double round_half_even(double value);

// The nearest value of the type; infinite where the value rounds past the finite range. NaN stays NaN.
double round_to_f16(double value);
double round_to_f32(double value);

// The bits of round_to_f16(value), and the value of 16 bits (which may be infinite or NaN).
uint16_t f16_bits(double value);
double f16_value(uint16_t bits);

// The same for binary32.
uint32_t f32_bits(double value);
double f32_value(uint32_t bits);

}  // namespace kem::wgsl::sem
