#include "wgsl/sem/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kem::wgsl::sem {
namespace {

TEST(Half, EveryFiniteValueKeepsItsBits) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = f16_value(static_cast<uint16_t>(bits));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(round_to_f16(value), value);
    ASSERT_EQ(f16_bits(value), bits);
  }
}

TEST(Half, InfinitiesAndNaNsDecode) {
  EXPECT_EQ(f16_value(0x7c00), std::numeric_limits<double>::infinity());
  EXPECT_EQ(f16_value(0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(f16_value(0x7c01)));
  EXPECT_TRUE(std::isnan(f16_value(0xffff)));
}

// Between every two neighbours: just below the midpoint goes down, just above goes up, the midpoint to even.
TEST(Half, RoundsToNearestTiesToEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = f16_value(static_cast<uint16_t>(bits)), high = f16_value(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    ASSERT_EQ(f16_bits(std::nextafter(middle, 0)), bits);
    ASSERT_EQ(f16_bits(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(f16_bits(middle), bits + bits % 2);
    ASSERT_EQ(f16_bits(-middle), 0x8000 + bits + bits % 2);
  }
}

TEST(Half, OverflowsFromHalfWayToTheNextPowerOfTwo) {
  EXPECT_EQ(round_to_f16(65519.99), kMaxF16);
  EXPECT_TRUE(std::isinf(round_to_f16(65520.0)));
  EXPECT_TRUE(std::isinf(round_to_f16(-1e300)));
  EXPECT_EQ(f16_bits(65520.0), 0x7c00);
}

TEST(Half, TinyValuesRoundToZeroKeepingTheirSign) {
  EXPECT_EQ(f16_bits(0x1p-26), 0x0000);
  EXPECT_EQ(f16_bits(0x1p-25), 0x0000);  // the midpoint between 0 and the smallest subnormal
  EXPECT_EQ(f16_bits(0x1.8p-25), 0x0001);
  EXPECT_EQ(f16_bits(-0x1p-30), 0x8000);
  EXPECT_EQ(f16_bits(-1e-320), 0x8000);
}

TEST(Single, RoundsAndOverflows) {
  EXPECT_EQ(f32_bits(0.1), 0x3dcccccdu);
  EXPECT_EQ(f32_bits(0x1.000001p0), 0x3f800000u);  // tie to even
  EXPECT_EQ(f32_bits(0x1.000003p0), 0x3f800002u);  // tie to even, upwards
  EXPECT_EQ(f32_bits(0x1p-149), 1u);
  EXPECT_EQ(round_to_f32(0x1.fffffefp127), kMaxF32);      // below half way to 2^128
  EXPECT_TRUE(std::isinf(round_to_f32(0x1.ffffffp127)));  // half way
  EXPECT_TRUE(std::isinf(round_to_f32(-1e300)));
  EXPECT_TRUE(std::isnan(round_to_f32(std::nan(""))));
}

TEST(RoundHalfEven, TiesAndSigns) {
  EXPECT_EQ(round_half_even(0.5), 0);
  EXPECT_EQ(round_half_even(1.5), 2);
  EXPECT_EQ(round_half_even(2.5), 2);
  EXPECT_EQ(round_half_even(-2.5), -2);
  EXPECT_EQ(round_half_even(-3.5), -4);
  EXPECT_EQ(round_half_even(0.49999999999999994), 0);
  EXPECT_EQ(round_half_even(4503599627370497.5), 4503599627370498.0);
  EXPECT_TRUE(std::signbit(round_half_even(-0.2)));
}

}  // namespace
}  // namespace kem::wgsl::sem
