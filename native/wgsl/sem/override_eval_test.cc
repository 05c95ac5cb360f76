#include "wgsl/sem/override_eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "wgsl/sem/analysis_testing.h"

namespace kem::wgsl::sem {
namespace {

using ::testing::HasSubstr;
using testing::Resolved;

constexpr std::string_view kEntry = "@compute @workgroup_size(1) fn main() { _ = o; }";

class OverrideEvalTest : public ::testing::Test {
 protected:
  // The value bound to override `o` of the module, as text; or "Class: message".
  std::string bound(std::string_view declarations, const std::vector<Constant>& constants,
                    std::string_view entry = kEntry) {
    Resolved resolved("enable f16;\n" + std::string(declarations) + "\n" + std::string(entry));
    if (!resolved.ok()) return "does not resolve";
    ConstEval eval(resolved.types(), resolved.options().limits);
    diagnostics_ = Diagnostics();
    const auto values = bind_overrides(resolved.info(), *resolved.function("main"), constants, eval, diagnostics_);
    if (!values) return std::string(name(values.error().error_class)) + ": " + values.error().message;
    for (const auto& [variable, value] : *values) {
      if (variable->name == "o") return spelling(value->type) + " " + spelling(value);
    }
    return "not bound";
  }

  Diagnostics diagnostics_;
};

TEST_F(OverrideEvalTest, KeysAreNamesOrIds) {
  EXPECT_EQ(bound("override o: i32;", {{"o", 5}}), "i32 5");
  EXPECT_EQ(bound("@id(7) override o: i32;", {{"7", 5}}), "i32 5");
  EXPECT_THAT(bound("@id(7) override o: i32;", {{"o", 5}}),
              HasSubstr("invalid_argument: constant 'o' names no override"));
  EXPECT_THAT(bound("@id(7) override o: i32;", {{"07", 5}}), HasSubstr("'07' names no override"));
  EXPECT_THAT(bound("override o: i32;", {{"p", 5}}), HasSubstr("invalid_argument: constant 'p' names no override"));
  EXPECT_THAT(bound("override o: i32;", {{"o", 5}, {"o", 6}}),
              HasSubstr("invalid_argument: constant 'o' is given twice"));
}

struct GivenCase {
  std::string_view type;
  double value;
  std::string_view expected;
};

constexpr GivenCase kGiven[] = {
    {"bool", 0, "bool false"},
    {"bool", -0.0, "bool false"},
    {"bool", 0.5, "bool true"},
    {"i32", -2147483648.0, "i32 -2147483648"},
    {"i32", 2147483647.9, "i32 2147483647"},
    {"i32", 2147483648.0, "invalid_argument: constant 'o': 2147483648 is out of the range of 'i32'"},
    {"i32", -2147483649.0, "out of the range"},
    {"i32", -1.9, "i32 -1"},
    {"u32", 4294967295.0, "u32 4294967295"},
    {"u32", -0.5, "u32 0"},
    {"u32", -1, "out of the range of 'u32'"},
    {"u32", 4294967296.0, "out of the range of 'u32'"},
    {"f32", 0.1, "f32 0.1"},
    {"f32", 3.5e38, "out of the range of 'f32'"},
    {"f16", 65504, "f16 65504"},
    {"f16", 65520, "out of the range of 'f16'"},
    {"f32", std::numeric_limits<double>::infinity(), "invalid_argument: constant 'o': the value is not finite"},
    {"i32", std::numeric_limits<double>::quiet_NaN(), "the value is not finite"},
};

TEST_F(OverrideEvalTest, GivenValuesAreConverted) {
  for (const GivenCase& c : kGiven) {
    EXPECT_THAT(bound("override o: " + std::string(c.type) + ";", {{"o", c.value}}), HasSubstr(std::string(c.expected)))
        << c.type << " " << c.value;
  }
}

struct DefaultCase {
  std::string_view declarations, expected;  // with p = 3
};

constexpr DefaultCase kDefaults[] = {
    {"override p = 1; override o = 2;", "i32 2"},
    {"override p = 1; override o = p;", "i32 3"},
    {"override o = q * 2; override q = p + 1; override p: i32;", "i32 8"},
    {"override p: i32; override o: f32 = f32(p) / 2;", "f32 1.5"},
    {"override p: i32; override o: bool = p > 2 && true;", "bool true"},
    {"override p: i32; override o: u32 = u32(p) << 2u;", "u32 12"},
    {"override p: i32; override o = vec3i(p, 5, 6)[1] + vec2i(p).y;", "i32 8"},
    {"override p: i32; override o = select(1, 2, p == 3);", "i32 2"},
    {"override p: i32; override o = max(p, 10) - -p;", "i32 13"},
    {"override p: f32; override o: f32 = sqrt(p * 3) + vec4f(p).wzyx.x;", "f32 6"},
    {"override p: i32; override o = p != 0 && 6 / p == 2;", "bool true"},
    {"override p: i32; override o = p == 3 || 1 / (p - 3) == 0;", "bool true"},
    {"const c = 4; override p: i32; override o = p * c;", "i32 12"},
    {"override p: i32; override o = array(p, p + 1)[1];", "i32 4"},
    {"override p: i32; override o = 1 / (p - 3);", "invalid_kernel: integer division by zero"},
    {"override p: i32; override o = (1 << 30u) << u32(p);", "invalid_kernel: "},
    {"override p: i32; override o = vec2i(1, 2)[p];", "invalid_kernel: index 3 is out of bounds"},
    {"override p: i32; override o: f32 = 1e30f * pow(10.0, f32(p) * 4);", "invalid_kernel: "},
    {"override p: i32; override o = clamp(1, p, 2);", "invalid_kernel: 'clamp'"},
};

TEST_F(OverrideEvalTest, DefaultsAreEvaluatedInTheOrderOfTheirDependencies) {
  for (const DefaultCase& c : kDefaults) {
    EXPECT_THAT(bound(c.declarations, {{"p", 3}}), HasSubstr(std::string(c.expected))) << c.declarations;
    EXPECT_EQ(diagnostics_.has_errors(), c.expected.starts_with("invalid_kernel")) << c.declarations;
  }
}

TEST_F(OverrideEvalTest, AGivenValueReplacesTheDefaultUnevaluated) {
  EXPECT_EQ(bound("override p: i32; override o = 1 / p;", {{"p", 0}, {"o", 4}}), "i32 4");
}

TEST_F(OverrideEvalTest, OnlyWhatTheEntryPointUsesNeedsAValue) {
  EXPECT_THAT(bound("override o: i32;", {}),
              HasSubstr("invalid_argument: override 'o' has no default and the pipeline gives no constant 'o'"));
  EXPECT_THAT(bound("@id(3) override o: i32;", {}), HasSubstr("gives no constant '3'"));
  EXPECT_THAT(bound("override q: i32; override o = q;", {}), HasSubstr("override 'q' has no default"));
  EXPECT_EQ(bound("override q: i32; override o = 1;", {}), "i32 1");
  EXPECT_EQ(bound("override q = 0; override r = 1 / q; override o = 1;", {}), "i32 1");
  EXPECT_EQ(bound("override o: i32;", {}, "@compute @workgroup_size(1) fn main() { }"), "not bound");
}

TEST_F(OverrideEvalTest, ChainsOfOperatorsMayBeLong) {
  std::string chain = "override o: i32 = p";
  for (int i = 0; i < 500; ++i) chain += " + 1";
  EXPECT_EQ(bound("override p: i32; " + chain + ";", {{"p", 3}}), "i32 503");
}

}  // namespace
}  // namespace kem::wgsl::sem
