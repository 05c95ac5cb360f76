#include "wgsl/syntax/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace kem::wgsl {
namespace {

using ast::LiteralKind;

// Spec "Numeric Literals": text, kind, value.
struct Good {
  const char* text;
  LiteralKind kind;
  double value;
};

const Good kGood[] = {
    {"0", LiteralKind::AbstractInt, 0},
    {"0i", LiteralKind::I32, 0},
    {"0u", LiteralKind::U32, 0},
    {"123", LiteralKind::AbstractInt, 123},
    {"2147483647i", LiteralKind::I32, 2147483647.0},
    {"4294967295u", LiteralKind::U32, 4294967295.0},
    {"0x0", LiteralKind::AbstractInt, 0},
    {"0X123u", LiteralKind::U32, 0x123},
    {"0x3f", LiteralKind::AbstractInt, 0x3f},
    {"0x7fffffffi", LiteralKind::I32, 2147483647.0},
    {"0xffffffffu", LiteralKind::U32, 4294967295.0},
    {"0x000000000000000000001u", LiteralKind::U32, 1},
    {"0f", LiteralKind::F32, 0},
    {"0h", LiteralKind::F16, 0},
    {"1f", LiteralKind::F32, 1},
    {"10h", LiteralKind::F16, 10},
    {"0.e+4f", LiteralKind::F32, 0},
    {"01.", LiteralKind::AbstractFloat, 1},
    {".01", LiteralKind::AbstractFloat, 0.01},
    {"12.34", LiteralKind::AbstractFloat, 12.34},
    {".0f", LiteralKind::F32, 0},
    {"1e-3", LiteralKind::AbstractFloat, 1e-3},
    {"1E+3f", LiteralKind::F32, 1000},
    {"0e0", LiteralKind::AbstractFloat, 0},
    {"00e1", LiteralKind::AbstractFloat, 0},
    {"1.f", LiteralKind::F32, 1},
    {"0.1f", LiteralKind::F32, static_cast<double>(0.1f)},
    {"0.1h", LiteralKind::F16, 0.0999755859375},
    {"65504h", LiteralKind::F16, 65504},
    {"1e-10h", LiteralKind::F16, 0},
    {"5.9604644775390625e-8h", LiteralKind::F16, 0x1p-24},
    {"6e-8h", LiteralKind::F16, 0x1p-24},
    {"2049h", LiteralKind::F16, 2048},  // ties to even
    {"2051h", LiteralKind::F16, 2052},
    {"3.4028234663852886e38f", LiteralKind::F32, 3.4028234663852886e38},
    {"1.401298464324817e-45f", LiteralKind::F32, 0x1p-149},
    {"1e-60f", LiteralKind::F32, 0},
    {"1e-400", LiteralKind::AbstractFloat, 0},
    {"4.9406564584124654e-324", LiteralKind::AbstractFloat, 0x1p-1074},
    {"1.7976931348623157e308", LiteralKind::AbstractFloat, 1.7976931348623157e308},
    {"0e99999999999999999999", LiteralKind::AbstractFloat, 0},
    {"1e-99999999999999999999", LiteralKind::AbstractFloat, 0},
    {"16777217f", LiteralKind::F32, 16777216},
    {"0xa.fp+2", LiteralKind::AbstractFloat, 0xa.fp+2},
    {"0x1P+4f", LiteralKind::F32, 16},
    {"0X.3", LiteralKind::AbstractFloat, 0x.3p0},
    {"0x3p+2h", LiteralKind::F16, 12},
    {"0X1.fp-4", LiteralKind::AbstractFloat, 0x1.fp-4},
    {"0x3.2p+2h", LiteralKind::F16, 12.5},
    {"0x1.", LiteralKind::AbstractFloat, 1},
    {"0x0p99999999999999999999", LiteralKind::AbstractFloat, 0},
    {"0x0.0p-99999999999999999999f", LiteralKind::F32, 0},
    {"0x1.fffffep127f", LiteralKind::F32, 0x1.fffffep127},
    {"0x1p-149f", LiteralKind::F32, 0x1p-149},
    {"0x1p-24h", LiteralKind::F16, 0x1p-24},
    {"0x1.ffcp15h", LiteralKind::F16, 65504},
    {"0x1p-1074", LiteralKind::AbstractFloat, 0x1p-1074},
    {"0x1p1023", LiteralKind::AbstractFloat, 0x1p1023},
    {"0x1.00000001p0", LiteralKind::AbstractFloat, 0x1.00000001p0},
    {"0x0.000000000000000000001p0", LiteralKind::AbstractFloat, 0x1p-84},
    {"0x100000000000000000000p0", LiteralKind::AbstractFloat, 0x1p80},
};

TEST(Number, ReadsEveryForm) {
  for (const Good& good : kGood) {
    EXPECT_EQ(scan_number(good.text), std::string_view(good.text).size()) << good.text;
    const Number number = decode_number(good.text);
    EXPECT_EQ(number.error, "") << good.text;
    EXPECT_EQ(number.kind, good.kind) << good.text;
    const bool is_int = good.kind <= LiteralKind::U32;
    EXPECT_EQ(is_int ? static_cast<double>(number.int_value) : number.float_value, good.value) << good.text;
  }
}

TEST(Number, AbstractIntegersReachSixtyThreeBits) {
  EXPECT_EQ(decode_number("9223372036854775807").int_value, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(decode_number("0x7fffffffffffffff").int_value, std::numeric_limits<int64_t>::max());
}

TEST(Number, RefusesWhatDoesNotFit) {
  for (const char* text :
       {"2147483648i", "0x80000000i", "4294967296u", "0x100000000u", "9223372036854775808", "0x8000000000000000",
        "99999999999999999999999", "3.4028235e38f", "1e39f", "1e99999999999999999999f", "65505h", "1e5h", "1e309",
        "0x1p128f", "0x1p16h", "0x1p1024", "0x1p99999999999999999999"}) {
    EXPECT_NE(decode_number(text).error.find("does not fit"), std::string::npos) << text;
  }
}

TEST(Number, RefusesInexactHexFloatsWithASuffix) {
  for (const char* text : {"0x1.00000001p0f", "0x1.ffffffp0f", "0x1p-150f", "0x1.002p0h", "0x1p-25h",
                           "0x1.0000000000000000000000000001p0f"}) {
    EXPECT_NE(decode_number(text).error.find("not exactly"), std::string::npos) << text;
  }
}

TEST(Number, RefusesLeadingZeros) {
  for (const char* text : {"012", "00", "01u", "01f", "00h"}) {
    EXPECT_NE(decode_number(text).error.find("leading zeros"), std::string::npos) << text;
  }
}

TEST(Number, TakesTheLongestLiteral) {
  const struct {
    const char* text;
    size_t length;
  } kCases[] = {{"1e", 1},  {"1e+", 1},     {"0x", 0},      {"0x.", 0}, {"0xp1", 0},  {"0x1p", 3},
                {"1.e", 2}, {"1..2", 2},    {"0x1.8f", 6},  {"1if", 2}, {"0x1i", 4},  {".", 0},
                {"1ff", 2}, {"0x1p1ff", 6}, {"1.5e3f+", 6}, {"1-1", 1}, {"0x1fu", 5}, {"1.0i", 3}};
  for (const auto& c : kCases) EXPECT_EQ(scan_number(c.text), c.length) << c.text;
}

}  // namespace
}  // namespace kem::wgsl
