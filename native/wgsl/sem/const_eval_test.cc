// Operators, conversions, constructors and values. `expected` is a value, or "error" and a part of the message.
#include "wgsl/sem/const_eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wgsl/sem/const_eval_testing.h"

namespace kem::wgsl::sem {
namespace {

using ast::BinaryOp;
using ast::UnaryOp;
using testing::exact;
using ::testing::HasSubstr;
using testing::ValueText;

class ConstEvalTest : public ::testing::Test {
 protected:
  const Value* value(std::string_view text) { return ValueText(eval, text).value(); }

  void expect(const Evaluated& got, std::string_view expected) {
    if (expected.starts_with("error ")) {
      ASSERT_FALSE(got.has_value()) << "got " << exact(eval, *got);
      EXPECT_THAT(got.error(), HasSubstr(std::string(expected.substr(6))));
      return;
    }
    ASSERT_TRUE(got.has_value()) << got.error();
    EXPECT_EQ(exact(eval, *got), exact(eval, value(expected)));
  }

  // The result type: that of the expected value, or, where an error is expected, of the first operand.
  const Type* result_type(std::string_view expected, const Value* operand) {
    return expected.starts_with("error ") ? operand->type : value(expected)->type;
  }

  Limits limits;
  TypeTable types;
  ConstEval eval{types, limits};
};

struct BinaryCase {
  std::string_view lhs;
  BinaryOp op;
  std::string_view rhs, expected;
};

constexpr BinaryOp kAdd = BinaryOp::Add, kSub = BinaryOp::Subtract, kMul = BinaryOp::Multiply, kDiv = BinaryOp::Divide,
                   kRem = BinaryOp::Remainder, kShl = BinaryOp::ShiftLeft, kShr = BinaryOp::ShiftRight;

// clang-format off
constexpr BinaryCase kBinary[] = {
    // i32 and u32 wrap.
    {"2147483647i", kAdd, "1i", "-2147483648i"}, {"-2147483648i", kSub, "1i", "2147483647i"},
    {"-1i", kMul, "-2147483648i", "-2147483648i"}, {"65536i", kMul, "65536i", "0i"},
    {"-2147483648i", kMul, "-2147483648i", "0i"}, {"4294967295u", kAdd, "1u", "0u"},
    {"0u", kSub, "1u", "4294967295u"}, {"4294967295u", kMul, "4294967295u", "1u"},
    {"3000000000u", kMul, "3u", "410065408u"},
    // abstract-int does not.
    {"9223372036854775807", kAdd, "1", "error overflows 'abstract-int'"},
    {"-9223372036854775808", kSub, "1", "error overflows 'abstract-int'"},
    {"4611686018427387904", kMul, "2", "error overflows 'abstract-int'"},
    {"4611686018427387903", kMul, "2", "9223372036854775806"}, {"2147483647", kAdd, "1", "2147483648"},
    // Division and remainder truncate; by zero, and the one overflow, are errors.
    {"7i", kDiv, "-2i", "-3i"}, {"-7i", kRem, "2i", "-1i"}, {"7i", kRem, "-2i", "1i"}, {"7u", kDiv, "2u", "3u"},
    {"7u", kRem, "2u", "1u"}, {"4294967295u", kDiv, "2u", "2147483647u"},
    {"1i", kDiv, "0i", "error division by zero"}, {"1u", kDiv, "0u", "error division by zero"},
    {"1", kDiv, "0", "error division by zero"}, {"1i", kRem, "0i", "error division by zero"},
    {"1u", kRem, "0u", "error division by zero"}, {"1", kRem, "0", "error division by zero"},
    {"-2147483648i", kDiv, "-1i", "error overflows 'i32'"}, {"-2147483648i", kRem, "-1i", "error overflows 'i32'"},
    {"-9223372036854775808", kDiv, "-1", "error overflows"}, {"-9223372036854775808", kRem, "-1", "error overflows"},
    {"-2147483648i", kDiv, "1i", "-2147483648i"}, {"(8i, 9i)", kDiv, "(2i, 0i)", "error division by zero"},
    // Shifts of concrete values: at most 31 bits, and no bit lost that differs from the sign (u32: that is 1).
    {"1i", kShl, "30u", "1073741824i"}, {"1i", kShl, "31u", "error overflows 'i32'"},
    {"-1i", kShl, "31u", "-2147483648i"}, {"1073741824i", kShl, "1u", "error overflows 'i32'"},
    {"-1073741824i", kShl, "1u", "-2147483648i"}, {"-1073741825i", kShl, "1u", "error overflows 'i32'"},
    {"0i", kShl, "31u", "0i"}, {"1u", kShl, "31u", "2147483648u"}, {"2u", kShl, "31u", "error overflows 'u32'"},
    {"1u", kShl, "32u", "error shift by 32 bits"}, {"1i", kShr, "32u", "error shift by 32 bits"},
    {"1u", kShr, "4294967295u", "error shift by 4294967295 bits"}, {"-8i", kShr, "1u", "-4i"},
    {"-1i", kShr, "31u", "-1i"}, {"4294967288u", kShr, "1u", "2147483644u"},
    {"(1u, 2u)", kShl, "(3u, 4u)", "(8u, 32u)"}, {"(1u, 2u)", kShl, "(3u, 32u)", "error shift by 32 bits"},
    // Shifts of abstract-int.
    {"1", kShl, "62u", "4611686018427387904"}, {"1", kShl, "63u", "error overflows 'abstract-int'"},
    {"-1", kShl, "63u", "-9223372036854775808"}, {"-1", kShl, "64u", "error overflows 'abstract-int'"},
    {"0", kShl, "100u", "0"}, {"-5", kShr, "100u", "-1"}, {"5", kShr, "1u", "2"},
    // Bits and bools.
    {"12i", BinaryOp::And, "10i", "8i"}, {"12u", BinaryOp::Or, "3u", "15u"}, {"12", BinaryOp::Xor, "10", "6"},
    {"-1i", BinaryOp::Xor, "1i", "-2i"}, {"true", BinaryOp::And, "false", "false"},
    {"true", BinaryOp::Or, "false", "true"}, {"true", BinaryOp::LogicalAnd, "true", "true"},
    {"false", BinaryOp::LogicalOr, "false", "false"},
    {"(true, false)", BinaryOp::And, "(true, true)", "(true, false)"},
    // Comparisons.
    {"1i", BinaryOp::Less, "2i", "true"}, {"4294967295u", BinaryOp::Greater, "1u", "true"},
    {"-0.0", BinaryOp::Equal, "0.0", "true"}, {"1.5f", BinaryOp::GreaterEqual, "1.5f", "true"},
    {"1.5f", BinaryOp::NotEqual, "1.5f", "false"}, {"true", BinaryOp::NotEqual, "false", "true"},
    {"true", BinaryOp::Equal, "false", "false"}, {"2h", BinaryOp::LessEqual, "1h", "false"},
    {"(1, 5)", BinaryOp::Less, "(2, 4)", "(true, false)"},
    // f32: each operation rounds once.
    {"0.1f", kAdd, "0.2f", "0x1.333334p-2f"}, {"16777216f", kAdd, "1f", "16777216f"},
    {"1f", kDiv, "3f", "0x1.555556p-2f"}, {"0x1.fffffep0f", kMul, "0x1.fffffep0f", "0x1.fffffcp1f"},
    {"0x1p-149f", kDiv, "2f", "0f"}, {"5.5f", kRem, "2f", "1.5f"}, {"-5.5f", kRem, "2f", "-1.5f"},
    {"1e38f", kRem, "1e-38f", "0x1.a3d838p-127f"}, {"3.4e38f", kMul, "2f", "error no finite value in 'f32'"},
    {"0x1.fffffep127f", kAdd, "1f", "0x1.fffffep127f"}, {"0x1.fffffep127f", kAdd, "0x1p103f", "error no finite value"},
    {"1f", kDiv, "0f", "error no finite value"}, {"0f", kDiv, "0f", "error no finite value"},
    {"1f", kRem, "0f", "error no finite value"}, {"-3.4e38f", kSub, "3.4e38f", "error no finite value in 'f32'"},
    // f16.
    {"0.1h", kAdd, "0.2h", "0x1.33p-2h"}, {"2048h", kAdd, "1h", "2048h"}, {"2048h", kAdd, "3h", "2052h"},
    {"65504h", kAdd, "15h", "65504h"}, {"65504h", kAdd, "16h", "error no finite value in 'f16'"},
    {"256h", kMul, "256h", "error no finite value in 'f16'"}, {"1h", kDiv, "3h", "0x1.554p-2h"},
    // abstract-float.
    {"1e308", kMul, "10.0", "error no finite value in 'abstract-float'"}, {"0.1", kAdd, "0.2", "0.30000000000000004"},
    {"1.0", kDiv, "0.0", "error no finite value"},
    // Vectors with scalars.
    {"(1i, 2i)", kAdd, "10i", "(11i, 12i)"}, {"10i", kSub, "(1i, 2i)", "(9i, 8i)"},
    {"(2f, 4f, 6f)", kMul, "0.5f", "(1f, 2f, 3f)"}, {"12u", kDiv, "(2u, 3u, 4u, 6u)", "(6u, 4u, 3u, 2u)"},
    // Matrices.
    {"((1f, 2f), (3f, 4f))", kAdd, "((10f, 20f), (30f, 40f))", "((11f, 22f), (33f, 44f))"},
    {"((1f, 2f), (3f, 4f))", kMul, "2f", "((2f, 4f), (6f, 8f))"},
    {"2.0", kMul, "((1.0, 2.0), (3.0, 4.0))", "((2.0, 4.0), (6.0, 8.0))"},
    {"((1f, 2f, 3f), (4f, 5f, 6f))", kMul, "(10f, 100f)", "(410f, 520f, 630f)"},
    {"(10f, 100f, 1000f)", kMul, "((1f, 2f, 3f), (4f, 5f, 6f))", "(3210f, 6540f)"},
    {"((1f, 2f, 3f), (4f, 5f, 6f))", kMul, "((1f, 2f), (3f, 4f), (5f, 6f), (7f, 8f))",
     "((9f, 12f, 15f), (19f, 26f, 33f), (29f, 40f, 51f), (39f, 54f, 69f))"},
    {"((1e30f, 0f), (0f, 1f))", kMul, "((1e30f, 0f), (0f, 1f))", "error no finite value in 'mat2x2<f32>'"},
    {"((256h, 0h), (0h, 1h))", kMul, "(256h, 1h)", "error no finite value"},
};
// clang-format on

TEST_F(ConstEvalTest, Binary) {
  for (const BinaryCase& c : kBinary) {
    SCOPED_TRACE(std::string(c.lhs) + " op" + std::to_string(static_cast<int>(c.op)) + " " + std::string(c.rhs));
    const Value* lhs = value(c.lhs);
    expect(eval.binary(c.op, lhs, value(c.rhs), result_type(c.expected, lhs)), c.expected);
  }
}

struct UnaryCase {
  UnaryOp op;
  std::string_view operand, expected;
};

constexpr UnaryCase kUnary[] = {
    {UnaryOp::Negate, "5i", "-5i"},
    {UnaryOp::Negate, "-2147483648i", "-2147483648i"},
    {UnaryOp::Negate, "2147483648", "-2147483648"},
    {UnaryOp::Negate, "-9223372036854775808", "-9223372036854775808"},
    {UnaryOp::Negate, "0f", "-0.0f"},
    {UnaryOp::Negate, "(1.5h, -2h)", "(-1.5h, 2h)"},
    {UnaryOp::Not, "true", "false"},
    {UnaryOp::Not, "(true, false, false)", "(false, true, true)"},
    {UnaryOp::Complement, "0u", "4294967295u"},
    {UnaryOp::Complement, "0i", "-1i"},
    {UnaryOp::Complement, "5", "-6"},
    {UnaryOp::Complement, "(1u, 4294967295u)", "(4294967294u, 0u)"},
};

TEST_F(ConstEvalTest, Unary) {
  for (const UnaryCase& c : kUnary) {
    SCOPED_TRACE(std::string(c.operand));
    expect(eval.unary(c.op, value(c.operand), value(c.expected)->type), c.expected);
  }
}

struct ConvertCase {
  std::string_view from, like, expected;  // `like`: a value of the target type
};

// clang-format off
constexpr ConvertCase kConvert[] = {
    // Automatic conversions of abstract values.
    {"2147483647", "0i", "2147483647i"}, {"2147483648", "0i", "error value 2147483648 cannot be represented as 'i32'"},
    {"-2147483648", "0i", "-2147483648i"}, {"-2147483649", "0i", "error cannot be represented as 'i32'"},
    {"4294967295", "0u", "4294967295u"}, {"4294967296", "0u", "error as 'u32'"}, {"-1", "0u", "error as 'u32'"},
    {"16777217", "0f", "16777216f"}, {"65504", "0h", "65504h"}, {"65505", "0h", "error value 65505 cannot be"},
    {"0x1.fffffep127", "0f", "0x1.fffffep127f"}, {"0x1.fffffe1p127", "0f", "error as 'f32'"},
    {"-1e39", "0f", "error as 'f32'"}, {"1e-50", "0f", "0f"}, {"0.1", "0f", "0x1.99999ap-4f"},
    {"65504.001", "0h", "error as 'f16'"}, {"0.1", "0h", "0x1.998p-4h"}, {"9007199254740993", "0.0", "9007199254740992.0"},
    {"(1, 2)", "(0u, 0u)", "(1u, 2u)"}, {"(1, -2)", "(0u, 0u)", "error value -2"},
    {"((1.0, 2.0), (3.0, 4.0))", "((0f, 0f), (0f, 0f))", "((1f, 2f), (3f, 4f))"},
    {"{0.5, 3}", "{0f, 0i}", "{0.5f, 3i}"}, {"{0.5, 3.0}", "{0h, 0h}", "{0.5h, 3h}"},
    // Explicit conversions.
    {"4294967295u", "0i", "-1i"}, {"-1i", "0u", "4294967295u"}, {"4000000000", "0u", "4000000000u"},
    {"4000000000", "0i", "error as 'i32'"}, {"3.9f", "0u", "3u"}, {"-1f", "0u", "0u"}, {"-3.9f", "0i", "-3i"},
    {"1e20f", "0u", "4294967040u"}, {"1e20f", "0i", "2147483520i"}, {"-1e20f", "0i", "-2147483648i"},
    {"1e20", "0i", "2147483647i"}, {"1e20", "0u", "4294967295u"}, {"2147483646.9", "0i", "2147483646i"},
    {"65504h", "0i", "65504i"}, {"-0.5h", "0u", "0u"}, {"true", "0i", "1i"}, {"false", "0u", "0u"}, {"true", "0f", "1f"},
    {"true", "0h", "1h"}, {"0i", "true", "false"}, {"-7i", "true", "true"}, {"-0.0f", "true", "false"},
    {"1e-40f", "true", "true"}, {"0", "true", "false"}, {"0.5", "true", "true"}, {"16777217i", "0f", "16777216f"},
    {"4294967295u", "0f", "4294967296f"}, {"65536u", "0h", "error value 65536"}, {"1e5f", "0h", "error value 1e+05"},
    {"2049i", "0h", "2048h"}, {"(1.9f, -1.9f)", "(0i, 0i)", "(1i, -1i)"}, {"(2u, 0u)", "(true, true)", "(true, false)"},
    {"((1f, 2f), (3f, 4f))", "((0h, 0h), (0h, 0h))", "((1h, 2h), (3h, 4h))"},
    {"((1f, 1e6f), (3f, 4f))", "((0h, 0h), (0h, 0h))", "error as 'f16'"},
};
// clang-format on

TEST_F(ConstEvalTest, ConvertAndCast) {
  for (const ConvertCase& c : kConvert) {
    SCOPED_TRACE(std::string(c.from) + " to the type of " + std::string(c.like));
    expect(eval.cast(value(c.from), value(c.like)->type), c.expected);
  }
  const Value* one = value("1");
  EXPECT_EQ(*eval.convert(one, types.abstract_int()), one);
}

TEST_F(ConstEvalTest, Construct) {
  const auto construct = [&](const Type* type, std::string_view arguments) {
    return eval.construct(type, ValueText(eval, arguments).list());
  };
  const Vector* vec4f = types.vec(types.f32(), 4);
  expect(construct(vec4f, "1f, (2f, 3f), 4f"), "(1f, 2f, 3f, 4f)");
  expect(construct(vec4f, "7f"), "(7f, 7f, 7f, 7f)");
  expect(construct(vec4f, "(1f, 2f, 3f, 4f)"), "(1f, 2f, 3f, 4f)");
  expect(construct(types.mat(types.f32(), 2, 2), "1f, 2f, 3f, 4f"), "((1f, 2f), (3f, 4f))");
  expect(construct(types.mat(types.f32(), 2, 2), "(1f, 2f), (3f, 4f)"), "((1f, 2f), (3f, 4f))");
  expect(construct(types.mat(types.f16(), 2, 2), "((1f, 2f), (3f, 4f))"), "((1h, 2h), (3h, 4h))");
  expect(construct(types.i32(), "2.5f"), "2i");
  const auto array = construct(types.array(types.u32(), 3), "5u, 6u, 7u");
  ASSERT_TRUE(array.has_value());
  expect(eval.index(*array, value("2")), "7u");
  EXPECT_EQ(spelling(*array), "array<u32, 3>(5, 6, 7)");
  const Evaluated nothing = construct(vec4f, "");
  ASSERT_TRUE(nothing.has_value());
  EXPECT_TRUE((*nothing)->is_zero_composite());
}

TEST_F(ConstEvalTest, IndexAndSwizzle) {
  const Value* vector = value("(10i, 20i, 30i)");
  expect(eval.index(vector, value("2u")), "30i");
  expect(eval.index(vector, value("3u")), "error index 3 is out of bounds: 'vec3<i32>' has 3 elements");
  expect(eval.index(vector, value("-1")), "error index -1 is out of bounds");
  expect(eval.index(value("((1f, 2f), (3f, 4f))"), value("1i")), "(3f, 4f)");
  const uint8_t zyx[] = {2, 1, 0}, y[] = {1};
  expect(eval.swizzle(vector, zyx, vector->type), "(30i, 20i, 10i)");
  expect(eval.swizzle(vector, y, types.i32()), "20i");
}

TEST_F(ConstEvalTest, ZeroValuesCostNothing) {
  const Array* big = types.array(types.array(types.vec(types.f32(), 3), 1'000'000), 1'000'000);
  const Value* zero = eval.zero(big);
  EXPECT_TRUE(zero->is_zero_composite());
  expect(eval.index(*eval.index(zero, value("999999")), value("0")), "(0f, 0f, 0f)");
  expect(eval.index(zero, value("1000000")), "error out of bounds");
  EXPECT_TRUE(ConstEval::equal(eval.zero(types.vec(types.i32(), 2)), value("(0i, 0i)")));
  EXPECT_FALSE(ConstEval::equal(value("(0i, 1i)"), eval.zero(types.vec(types.i32(), 2))));
  expect(eval.binary(kAdd, eval.zero(types.vec(types.i32(), 2)), value("(1i, 2i)"), types.vec(types.i32(), 2)),
         "(1i, 2i)");
  expect(eval.binary(kMul, eval.zero(types.mat(types.f32(), 2, 2)), value("(1f, 2f)"), types.vec(types.f32(), 2)),
         "(0f, 0f)");
}

TEST_F(ConstEvalTest, CompositesAreBounded) {
  limits.composite_elements = 100;
  const Value* one = value("1u");
  const std::vector<const Value*> ten(10, one);
  const Array* row = types.array(types.u32(), 10);
  const Value* made_row = *eval.composite(row, ten);
  const std::vector<const Value*> ten_rows(10, made_row), eleven_rows(11, made_row);
  EXPECT_TRUE(eval.composite(types.array(row, 10), ten_rows).has_value());
  expect(eval.composite(types.array(row, 11), eleven_rows), "error holds more than 100 elements");
}

TEST_F(ConstEvalTest, StepsAreBounded) {
  limits.const_eval_steps = 1000;
  const Value* sum = value("(1u, 1u, 1u, 1u)");
  for (int i = 0; i < 250; ++i) {
    const Evaluated next = eval.binary(kAdd, sum, sum, sum->type);
    ASSERT_TRUE(next.has_value()) << i;
    sum = *next;
  }
  expect(eval.binary(kAdd, sum, sum, sum->type), "error takes more than 1000 steps");
  expect(eval.unary(UnaryOp::Negate, value("1i"), types.i32()), "error takes more than 1000 steps");
}

TEST_F(ConstEvalTest, CheckBinaryWithARuntimeLeftOperand) {
  const Type* i32 = types.i32();
  EXPECT_THAT(eval.check_binary(kDiv, i32, nullptr, value("0i")), HasSubstr("division by zero"));
  EXPECT_THAT(eval.check_binary(kRem, types.vec(i32, 2), nullptr, value("(1i, 0i)")), HasSubstr("division by zero"));
  EXPECT_THAT(eval.check_binary(kDiv, types.vec(i32, 2), nullptr, value("0i")), HasSubstr("division by zero"));
  EXPECT_THAT(eval.check_binary(kShl, i32, nullptr, value("32u")), HasSubstr("shift by 32 bits"));
  EXPECT_THAT(eval.check_binary(kShr, types.u32(), nullptr, value("33u")), HasSubstr("'u32' has 32"));
  EXPECT_THAT(eval.check_binary(kDiv, i32, value("-2147483648i"), value("-1i")), HasSubstr("overflows"));
  EXPECT_EQ(eval.check_binary(kDiv, i32, nullptr, value("-1i")), "");
  EXPECT_EQ(eval.check_binary(kShl, i32, nullptr, value("31u")), "");
  EXPECT_EQ(eval.check_binary(kDiv, types.f32(), nullptr, value("0f")), "");
  EXPECT_EQ(eval.check_binary(kAdd, i32, nullptr, value("0i")), "");
  EXPECT_EQ(eval.check_binary(kDiv, i32, value("1i"), nullptr), "");
}

TEST_F(ConstEvalTest, Spelling) {
  EXPECT_EQ(spelling(value("(1i, -2i)")), "vec2<i32>(1, -2)");
  EXPECT_EQ(spelling(value("0.1f")), "0.1");
  EXPECT_EQ(spelling(value("0.1h")), "0.1");
  EXPECT_EQ(spelling(value("65504h")), "65504");
  EXPECT_EQ(spelling(value("1.5")), "1.5");
  EXPECT_EQ(spelling(value("true")), "true");
  const std::vector<const Value*> many(40, value("1u"));
  EXPECT_THAT(spelling(*eval.composite(types.array(types.u32(), 40), many)), HasSubstr(", ...)"));
}

}  // namespace
}  // namespace kem::wgsl::sem
