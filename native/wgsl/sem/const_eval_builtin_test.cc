// Every @const built-in function: values to the bit, and every error the specification names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "wgsl/sem/const_eval.h"
#include "wgsl/sem/const_eval_testing.h"

namespace kem::wgsl::sem {
namespace {

using testing::exact;
using ::testing::HasSubstr;
using testing::ValueText;

struct Case {
  std::string_view function, arguments, expected;
};

// clang-format off
constexpr Case kCases[] = {
    // Logical.
    {"all", "(true, true)", "true"}, {"all", "(true, false, true)", "false"}, {"all", "true", "true"},
    {"any", "(false, true)", "true"}, {"any", "(false, false, false, false)", "false"}, {"any", "false", "false"},
    {"select", "1i, 2i, true", "2i"}, {"select", "(1f, 2f), (3f, 4f), (true, false)", "(3f, 2f)"},
    {"select", "(1u, 2u), (3u, 4u), false", "(1u, 2u)"},
    // Integers and reals.
    {"abs", "-5i", "5i"}, {"abs", "-2147483648i", "-2147483648i"}, {"abs", "-9223372036854775808", "-9223372036854775808"},
    {"abs", "7u", "7u"}, {"abs", "-0.0f", "0f"}, {"abs", "(-1.5h, 2h)", "(1.5h, 2h)"}, {"abs", "-3", "3"},
    {"clamp", "5i, 1i, 3i", "3i"}, {"clamp", "-5, 1, 3", "1"}, {"clamp", "2.5f, 0f, 3f", "2.5f"},
    {"clamp", "(9u, 0u), (1u, 1u), (5u, 5u)", "(5u, 1u)"},
    {"clamp", "1i, 3i, 2i", "error the low bound 3 is greater than the high bound 2"},
    {"clamp", "1f, 1f, -1f", "error greater"}, {"clamp", "(1u, 1u), (0u, 9u), (5u, 5u)", "error low bound 9"},
    {"max", "1i, -2i", "1i"}, {"max", "4294967295u, 1u", "4294967295u"}, {"max", "(1.5f, -2f), (1f, 3f)", "(1.5f, 3f)"},
    {"min", "1i, -2i", "-2i"}, {"min", "2.0, 1.0", "1.0"}, {"min", "(1h, 5h), (2h, 4h)", "(1h, 4h)"},
    {"sign", "-3i", "-1i"}, {"sign", "0f", "0f"}, {"sign", "(2.5h, -0.1h)", "(1h, -1h)"}, {"sign", "7", "1"},
    // Rounding.
    {"ceil", "1.2f", "2f"}, {"ceil", "-1.2f", "-1f"}, {"floor", "-1.2h", "-2h"}, {"floor", "1.9", "1.0"},
    {"round", "2.5f", "2f"}, {"round", "3.5f", "4f"}, {"round", "-2.5", "-2.0"}, {"round", "0.49999997f", "0f"},
    {"trunc", "-1.9f", "-1f"}, {"trunc", "(1.5h, -1.5h)", "(1h, -1h)"}, {"fract", "1.25f", "0.25f"},
    {"fract", "-1.25f", "0.75f"}, {"fract", "-1e-10f", "1f"}, {"saturate", "1.5f", "1f"}, {"saturate", "-1h", "0h"},
    {"saturate", "0.25", "0.25"}, {"step", "1f, 1f", "1f"}, {"step", "2f, 1f", "0f"},
    {"step", "(0h, 2h), (1h, 1h)", "(1h, 0h)"},
    // Trigonometry: arguments out of the domain.
    {"acos", "1f", "0f"}, {"acos", "0f", "0x1.921fb6p0f"}, {"acos", "-1.0", "0x1.921fb54442d18p1"},
    {"acos", "1.0001f", "error the argument must be in [-1, 1]"}, {"acos", "(0f, -2f)", "error [-1, 1]"},
    {"asin", "1f", "0x1.921fb6p0f"}, {"asin", "-1.5h", "error [-1, 1]"}, {"atan", "1f", "0x1.921fb6p-1f"},
    {"acosh", "1f", "0f"}, {"acosh", "2f", "0x1.512428p0f"}, {"acosh", "0.5f", "error [1, infinity]"},
    {"asinh", "1f", "0x1.c34366p-1f"}, {"atanh", "0.5f", "0x1.193ea8p-1f"}, {"atanh", "1f", "error no finite value"},
    {"atanh", "-1.0", "error no finite value"}, {"atanh", "1.5f", "error [-1, 1]"},
    {"atan2", "1f, 1f", "0x1.921fb6p-1f"}, {"atan2", "0f, 0f", "0f"}, {"atan2", "1f, -1f", "0x1.2d97c8p1f"},
    {"cos", "0f", "1f"}, {"sin", "0h", "0h"}, {"sin", "1f", "0x1.aed548p-1f"}, {"tan", "1f", "0x1.8eb246p0f"},
    {"cosh", "1f", "0x1.8b0756p0f"}, {"cosh", "1000f", "error no finite value in 'f32'"},
    {"sinh", "-100h", "error no finite value in 'f16'"}, {"sinh", "0f", "0f"}, {"tanh", "100f", "1f"},
    {"degrees", "1f", "0x1.ca5dc2p5f"}, {"degrees", "3e38f", "error no finite value"}, {"radians", "180f", "0x1.921fb6p1f"},
    // Exponentials.
    {"exp", "0f", "1f"}, {"exp", "1f", "0x1.5bf0a8p1f"}, {"exp", "89f", "error no finite value in 'f32'"},
    {"exp", "89.0", "0x1.51c2cc3433801p128"}, {"exp", "12h", "error no finite value in 'f16'"},
    {"exp", "1000.0", "error no finite value in 'abstract-float'"}, {"exp2", "10f", "1024f"},
    {"exp2", "128f", "error no finite"}, {"exp2", "-1h", "0.5h"}, {"log", "1f", "0f"},
    {"log", "0f", "error no finite value"}, {"log", "-1f", "error must be in [0, infinity]"}, {"log2", "8h", "3h"},
    {"log2", "0.0", "error no finite"}, {"log2", "-1h", "error [0, infinity]"}, {"pow", "2f, 10f", "1024f"},
    {"pow", "-2f, 2f", "error must not be negative"}, {"pow", "0f, 0f", "error only positive powers"},
    {"pow", "0f, 2f", "0f"}, {"pow", "2f, 128f", "error no finite"}, {"pow", "(2h, 4h), (3h, 0.5h)", "(8h, 2h)"},
    {"sqrt", "2f", "0x1.6a09e6p0f"}, {"sqrt", "2h", "0x1.6ap0h"}, {"sqrt", "-1f", "error [0, infinity]"},
    {"inverseSqrt", "4f", "0.5f"}, {"inverseSqrt", "0f", "error no finite"}, {"inverseSqrt", "-1.0", "error [0"},
    // Formulas, a rounding per operation.
    {"fma", "2f, 3f, 4f", "10f"}, {"fma", "3e38f, 2f, -3e38f", "error no finite"},
    {"fma", "(1h, 2h), (3h, 4h), (5h, 6h)", "(8h, 14h)"}, {"mix", "2f, 4f, 0.25f", "2.5f"},
    {"mix", "(1f, 2f), (3f, 6f), (0.5f, 0f)", "(2f, 2f)"}, {"mix", "(1f, 2f), (3f, 6f), 0.5f", "(2f, 4f)"},
    {"mix", "3e38f, -3e38f, 1e3f", "error no finite"}, {"smoothstep", "0f, 1f, 0.5f", "0.5f"},
    {"smoothstep", "2f, 4f, 1f", "0f"}, {"smoothstep", "4.0, 2.0, 1.0", "1.0"},
    {"smoothstep", "1f, 1f, 0.5f", "error both edges are 1"}, {"smoothstep", "(0h, 2h), (1h, 2h), (0h, 0h)", "error both"},
    {"ldexp", "0.75f, 3i", "6f"}, {"ldexp", "1f, 128i", "error no finite value"}, {"ldexp", "0.5f, 128i", "0x1p127f"},
    {"ldexp", "0f, 129i", "error exponent 129 is greater than 128"}, {"ldexp", "1h, 17i", "error greater than 16"},
    {"ldexp", "1.0, 1025", "error greater than 1024"}, {"ldexp", "1f, -149i", "0x1p-149f"},
    {"ldexp", "1f, -2147483648i", "0f"}, {"ldexp", "(1h, 1.5h), (3i, -1i)", "(8h, 0.75h)"}, {"ldexp", "1.0, -5", "0.03125"},
    {"frexp", "6f", "{0.75f, 3i}"}, {"frexp", "0f", "{0f, 0i}"}, {"frexp", "-1.0", "{-0.5, 1}"},
    {"frexp", "(1.5h, 4h)", "{(0.75h, 0.5h), (1i, 3i)}"}, {"modf", "-1.25f", "{-0.25f, -1f}"},
    {"modf", "(1.5, 2.0)", "{(0.5, 0.0), (1.0, 2.0)}"}, {"modf", "1.5h", "{0.5h, 1h}"},
    {"quantizeToF16", "0.1f", "0x1.998p-4f"}, {"quantizeToF16", "65504f", "65504f"},
    {"quantizeToF16", "65505f", "error value 65505 cannot be represented as 'f16'"},
    {"quantizeToF16", "(1f, -1e6f)", "error as 'f16'"},
    // Geometry.
    {"cross", "(1f, 2f, 3f), (4f, 5f, 6f)", "(-3f, 6f, -3f)"}, {"cross", "(3e38f, 1f, 1f), (1f, 3e38f, 1f)", "error no finite"},
    {"distance", "(1f, 2f), (4f, 6f)", "5f"}, {"distance", "2f, -3f", "5f"}, {"distance", "3e38f, -3e38f", "error no finite"},
    {"dot", "(1i, 2i, 3i), (4i, 5i, 6i)", "32i"}, {"dot", "(2147483647i, 1i), (1i, 1i)", "-2147483648i"},
    {"dot", "(4294967295u, 1u), (1u, 1u)", "0u"}, {"dot", "(9223372036854775807, 1), (1, 1)", "error overflows"},
    {"dot", "(1.5f, 2f), (2f, 4f)", "11f"}, {"dot", "(300h, 300h), (300h, 300h)", "error no finite value in 'f16'"},
    {"faceForward", "(1f, 2f), (1f, 0f), (-1f, 0f)", "(1f, 2f)"}, {"faceForward", "(1f, 2f), (1f, 0f), (1f, 0f)", "(-1f, -2f)"},
    {"length", "(3f, 4f)", "5f"}, {"length", "-2.5f", "2.5f"}, {"length", "(3e38f, 0f)", "error no finite"},
    {"normalize", "(3f, 4f)", "(0.6f, 0.8f)"}, {"normalize", "(0f, 0f)", "error length zero"},
    {"normalize", "(0.0, 0.0, 2.0)", "(0.0, 0.0, 1.0)"}, {"reflect", "(1f, -1f), (0f, 1f)", "(1f, 1f)"},
    {"refract", "(0f, -1f), (0f, 1f), 1f", "(0f, -1f)"}, {"refract", "(1f, 0f), (0f, 1f), 2f", "(0f, 0f)"},
    {"transpose", "((1f, 2f, 3f), (4f, 5f, 6f))", "((1f, 4f), (2f, 5f), (3f, 6f))"},
    {"determinant", "((1f, 2f), (3f, 4f))", "-2f"},
    {"determinant", "((2f, 0f, 1f), (1f, 3f, 2f), (1f, 1f, 4f))", "18f"},
    {"determinant", "((1f, 0f, 2f, 1f), (3f, 1f, 0f, 2f), (0f, 2f, 1f, 1f), (1f, 1f, 1f, 3f))", "24f"},
    {"determinant", "((300h, 0h), (0h, 300h))", "error no finite value in 'f16'"},
    // Bits.
    {"countLeadingZeros", "1u", "31u"}, {"countLeadingZeros", "0i", "32i"}, {"countLeadingZeros", "-1i", "0i"},
    {"countOneBits", "-1i", "32i"}, {"countOneBits", "(5u, 0u)", "(2u, 0u)"}, {"countTrailingZeros", "8u", "3u"},
    {"countTrailingZeros", "0u", "32u"}, {"firstLeadingBit", "0u", "4294967295u"}, {"firstLeadingBit", "0i", "-1i"},
    {"firstLeadingBit", "-1i", "-1i"}, {"firstLeadingBit", "-2i", "0i"}, {"firstLeadingBit", "12u", "3u"},
    {"firstLeadingBit", "-2147483648i", "30i"}, {"firstTrailingBit", "12i", "2i"}, {"firstTrailingBit", "0i", "-1i"},
    {"reverseBits", "1u", "2147483648u"}, {"reverseBits", "1i", "-2147483648i"},
    {"extractBits", "-1i, 4u, 4u", "-1i"}, {"extractBits", "240u, 4u, 4u", "15u"}, {"extractBits", "112i, 4u, 4u", "7i"},
    {"extractBits", "5i, 0u, 0u", "0i"}, {"extractBits", "5i, 32u, 0u", "0i"}, {"extractBits", "-7i, 0u, 32u", "-7i"},
    {"extractBits", "(240u, 16u), 4u, 4u", "(15u, 1u)"},
    {"extractBits", "1u, 30u, 3u", "error offset 30 and count 3 reach past bit 32"},
    {"extractBits", "1u, 4294967295u, 1u", "error reach past bit 32"},
    {"insertBits", "0u, 255u, 4u, 4u", "240u"}, {"insertBits", "-1i, 0i, 0u, 8u", "-256i"},
    {"insertBits", "1u, 9u, 0u, 32u", "9u"}, {"insertBits", "1u, 9u, 32u, 0u", "1u"},
    {"insertBits", "1u, 9u, 1u, 32u", "error reach past bit 32"},
    {"dot4U8Packed", "0x01020304u, 0x05060708u", "70u"}, {"dot4U8Packed", "0xffffffffu, 0xffffffffu", "260100u"},
    {"dot4I8Packed", "0xff010203u, 0x02010101u", "4i"}, {"dot4I8Packed", "0x80808080u, 0x80808080u", "65536i"},
    // bitcast.
    {"bitcast", "1f", "0x3f800000u"}, {"bitcast", "0x3f800000u", "1f"}, {"bitcast", "-1i", "0xffffffffu"},
    {"bitcast", "0xffffffffu", "-1i"}, {"bitcast", "0x7f800000u", "error no finite value in 'f32'"},
    {"bitcast", "0x7fc00000i", "error no finite value in 'f32'"}, {"bitcast", "(1f, -2f)", "(0x3f800000u, 0xc0000000u)"},
    {"bitcast", "(1h, -2h)", "0xc0003c00u"}, {"bitcast", "0xc0003c00u", "(1h, -2h)"},
    {"bitcast", "(1h, -2h, 0h, 0.5h)", "(0xc0003c00u, 0x38000000u)"}, {"bitcast", "(0xc0003c00u, 0x38000000u)", "(1h, -2h, 0h, 0.5h)"},
    {"bitcast", "0x80000000u", "-0.0f"}, {"bitcast", "5", "5u"}, {"bitcast", "1u", "0x1p-149f"},
    // Packing.
    {"pack4x8snorm", "(1f, -1f, 0f, 0.5f)", "0x4000817fu"}, {"pack4x8snorm", "(2f, -2f, 0.004f, -0.004f)", "0xff01817fu"},
    {"pack4x8unorm", "(1f, 0f, 0.5f, 2f)", "0xff8000ffu"}, {"pack4xI8", "(1i, -1i, 127i, 300i)", "0x2c7fff01u"},
    {"pack4xU8", "(1u, 255u, 256u, 3u)", "0x0300ff01u"}, {"pack4xI8Clamp", "(1i, -200i, 127i, 300i)", "0x7f7f8001u"},
    {"pack4xU8Clamp", "(1u, 255u, 256u, 3u)", "0x03ffff01u"}, {"pack2x16snorm", "(1f, -1f)", "0x80017fffu"},
    {"pack2x16unorm", "(1f, 0.5f)", "0x8000ffffu"}, {"pack2x16float", "(1f, -2f)", "0xc0003c00u"},
    {"pack2x16float", "(1f, 65505f)", "error value 65505 cannot be represented as 'f16'"},
    {"unpack4x8snorm", "0x4000817fu", "(1f, -1f, 0f, 0x1.020408p-1f)"}, {"unpack4x8snorm", "0x80u", "(-1f, 0f, 0f, 0f)"},
    {"unpack4x8unorm", "0xff8000ffu", "(1f, 0f, 0x1.010102p-1f, 1f)"}, {"unpack4xI8", "0x2c7fff01u", "(1i, -1i, 127i, 44i)"},
    {"unpack4xU8", "0x2c7fff01u", "(1u, 255u, 127u, 44u)"}, {"unpack2x16snorm", "0x80017fffu", "(1f, -1f)"},
    {"unpack2x16unorm", "0x8000ffffu", "(1f, 0x1.0001p-1f)"}, {"unpack2x16float", "0xc0003c00u", "(1f, -2f)"},
    {"unpack2x16float", "0x7c00u", "error no finite value in 'f32'"},
};
// clang-format on

class ConstBuiltinTest : public ::testing::Test {
 protected:
  std::vector<const Value*> list(std::string_view text) { return ValueText(eval, text).list(); }

  // Where an error is expected: what the function would have returned.
  const Type* error_type(Builtin builtin, const Value* argument) {
    if (builtin == Builtin::Bitcast) return types.f32();
    if (builtin == Builtin::Unpack2x16float) return types.vec(types.f32(), 2);
    const bool scalar = builtin == Builtin::Length || builtin == Builtin::Distance || builtin == Builtin::Dot ||
                        builtin == Builtin::Determinant;
    return scalar ? scalar_of(argument->type) : argument->type;
  }

  Limits limits;
  TypeTable types;
  ConstEval eval{types, limits};
};

TEST_F(ConstBuiltinTest, Table) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.function) + "(" + std::string(c.arguments) + ")");
    const auto builtin = find_builtin(c.function);
    ASSERT_TRUE(builtin.has_value());
    const std::vector<const Value*> arguments = list(c.arguments);
    if (c.expected.starts_with("error ")) {
      const Evaluated got = eval.builtin(*builtin, arguments, error_type(*builtin, arguments[0]));
      EXPECT_FALSE(got.has_value()) << "got " << exact(eval, *got);
      if (!got) {
        EXPECT_THAT(got.error(), HasSubstr(std::string(c.expected.substr(6))));
      }
      continue;
    }
    const Value* expected = list(c.expected)[0];
    const Evaluated got = eval.builtin(*builtin, arguments, expected->type);
    ASSERT_TRUE(got.has_value()) << got.error();
    EXPECT_EQ(exact(eval, *got), exact(eval, expected));
  }
}

// The functions that the specification marks @const, of those that builtin.h names.
bool is_const_function(Builtin b) {
  return b == Builtin::Bitcast || (b >= Builtin::All && b <= Builtin::Select) ||
         (b >= Builtin::Abs && b <= Builtin::Trunc) || (b >= Builtin::Pack4x8snorm && b <= Builtin::Unpack2x16float);
}

TEST_F(ConstBuiltinTest, TheTableCoversEveryConstFunction) {
  std::set<std::string_view> covered;
  for (const Case& c : kCases) covered.insert(c.function);
  for (int i = 0; i <= static_cast<int>(Builtin::QuadSwapY); ++i) {
    const auto builtin = static_cast<Builtin>(i);
    EXPECT_EQ(covered.contains(name(builtin)), is_const_function(builtin)) << name(builtin);
  }
}

TEST_F(ConstBuiltinTest, OthersAreNotConstFunctions) {
  const Evaluated got = eval.builtin(Builtin::AtomicLoad, list("1u"), types.u32());
  ASSERT_FALSE(got.has_value());
  EXPECT_THAT(got.error(), HasSubstr("not a const-function"));
}

struct CheckCase {
  std::string_view function;
  std::array<std::string_view, 4> arguments;  // "" is not constant, "-" ends the list
  std::string_view expected;                  // "" for nothing wrong
};

constexpr CheckCase kChecks[] = {
    {"clamp", {"", "3i", "2i", "-"}, "greater"},
    {"clamp", {"", "2i", "3i", "-"}, ""},
    {"clamp", {"", "3i", "", "-"}, ""},
    {"extractBits", {"", "16u", "17u", "-"}, "reach past bit 32"},
    {"extractBits", {"", "", "33u", "-"}, ""},
    {"insertBits", {"", "", "1u", "32u"}, "reach past bit 32"},
    {"insertBits", {"", "", "0u", "32u"}, ""},
    {"smoothstep", {"2f", "2f", "", "-"}, "both edges"},
    {"smoothstep", {"2f", "3f", "", "-"}, ""},
    {"ldexp", {"", "129i", "-", "-"}, "greater than 128"},
    {"ldexp", {"", "(128i, 1i)", "-", "-"}, ""},
    {"quantizeToF16", {"1e6f", "-", "-", "-"}, "as 'f16'"},
    {"subgroupBroadcast", {"", "128u", "-", "-"}, "[0, 128)"},
    {"subgroupBroadcast", {"", "-1i", "-", "-"}, "[0, 128)"},
    {"subgroupShuffle", {"", "127u", "-", "-"}, ""},
    {"quadBroadcast", {"", "4u", "-", "-"}, "[0, 4)"},
};

TEST_F(ConstBuiltinTest, CheckWithSomeArgumentsConstant) {
  for (const CheckCase& c : kChecks) {
    SCOPED_TRACE(std::string(c.function) + " " + std::string(c.arguments[1]) + " " + std::string(c.arguments[2]));
    std::vector<const Value*> arguments;
    std::vector<const Type*> argument_types;
    for (const std::string_view text : c.arguments) {
      if (text == "-") break;
      arguments.push_back(text.empty() ? nullptr : list(text)[0]);
      argument_types.push_back(types.f32());
    }
    const std::string got = eval.check_builtin(*find_builtin(c.function), arguments, argument_types);
    if (c.expected.empty()) {
      EXPECT_EQ(got, "");
    } else {
      EXPECT_THAT(got, HasSubstr(std::string(c.expected)));
    }
  }
}

}  // namespace
}  // namespace kem::wgsl::sem
