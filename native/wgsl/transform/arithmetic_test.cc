#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::TestModule;
using ir::Value;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// The body after the pass, where `make` writes an operation on two loaded values of `type`.
template <class Make>
std::string after(const sem::Type* (*type)(TestModule&), Make make) {
  TestModule t;
  Value* x = t.b.load(t.storage(type(t), "x"));
  Value* y = t.b.load(t.storage(type(t), "y"));
  make(t, x, y);
  t.b.simple(ir::Op::Return);
  EXPECT_EQ(ir::verify(t.module), "");
  for (ir::Function* f : t.module.functions) arithmetic(t.module).run(*f);
  EXPECT_EQ(ir::verify(t.module), "");
  return t.body();
}

const sem::Type* i32(TestModule& t) { return t.i32(); }
const sem::Type* u32(TestModule& t) { return t.u32(); }
const sem::Type* f32(TestModule& t) { return t.f32(); }
const sem::Type* vec2i(TestModule& t) { return t.vec(t.i32(), 2); }
const sem::Type* vec2f(TestModule& t) { return t.vec(t.f32(), 2); }
const sem::Type* vec2b(TestModule& t) { return t.vec(t.types.bool_type(), 2); }
const sem::Type* boolean(TestModule& t) { return t.types.bool_type(); }

auto binary(BinaryOp op) {
  return [op](TestModule& t, Value* x, Value* y) { t.b.binary(op, x, y); };
}

TEST(Arithmetic, GuardsDivisionsByWhatMayBeZeroOrMinusOne) {
  EXPECT_THAT(after(i32, binary(BinaryOp::Divide)), HasSubstr("!Divide"));
  EXPECT_THAT(after(u32, binary(BinaryOp::Remainder)), HasSubstr("!Remainder"));
  EXPECT_THAT(after(vec2i, binary(BinaryOp::Divide)), HasSubstr("!Divide"));
  EXPECT_THAT(after(f32, binary(BinaryOp::Divide)), HasSubstr("= div"));
  EXPECT_THAT(after(f32, binary(BinaryOp::Remainder)), HasSubstr("!Remainder"));
  EXPECT_THAT(after(i32, [](TestModule& t, Value* x, Value*) { t.b.binary(BinaryOp::Divide, x, t.b.i32(-1)); }),
              HasSubstr("!Divide"));
}

TEST(Arithmetic, DividesByHarmlessConstantsAsTheyAre) {
  EXPECT_THAT(after(i32, [](TestModule& t, Value* x, Value*) { t.b.binary(BinaryOp::Divide, x, t.b.i32(7)); }),
              HasSubstr("= div"));
  EXPECT_THAT(after(u32, [](TestModule& t, Value* x, Value*) { t.b.binary(BinaryOp::Remainder, x, t.b.u32(7)); }),
              HasSubstr("= rem"));
}

// GLSL's % takes the divisor's sign in SPIR-V (OpSMod).
TEST(Arithmetic, NeverWritesASignedRemainderWithTheOperator) {
  EXPECT_THAT(after(i32, [](TestModule& t, Value* x, Value*) { t.b.binary(BinaryOp::Remainder, x, t.b.i32(7)); }),
              AllOf(HasSubstr("= div"), HasSubstr("= mul"), HasSubstr("= sub"), Not(HasSubstr("= rem"))));
}

TEST(Arithmetic, SplatsAScalarBesideAVector) {
  EXPECT_THAT(
      after(vec2i, [](TestModule& t, Value* x, Value* y) { t.b.binary(BinaryOp::Divide, x, t.b.swizzle(y, {0})); }),
      HasSubstr("= construct"));
}

TEST(Arithmetic, MasksShiftAmounts) {
  EXPECT_THAT(after(u32, binary(BinaryOp::ShiftLeft)), HasSubstr("and %4, 31u"));
  EXPECT_THAT(after(u32, [](TestModule& t, Value* x, Value*) { t.b.binary(BinaryOp::ShiftLeft, x, t.b.u32(31)); }),
              Not(HasSubstr("= and")));
}

TEST(Arithmetic, ComparesVectorsWithFunctions) {
  EXPECT_THAT(after(vec2f, binary(BinaryOp::LessEqual)), HasSubstr("vec2<bool> = !LessThanEqual"));
  EXPECT_THAT(after(vec2b, binary(BinaryOp::NotEqual)), HasSubstr("!NotEqual"));
  EXPECT_THAT(after(f32, binary(BinaryOp::LessEqual)), HasSubstr("bool = le"));
}

TEST(Arithmetic, TreatsBooleanOperatorsApart) {
  EXPECT_THAT(after(boolean, binary(BinaryOp::And)), HasSubstr("logical_and"));
  EXPECT_THAT(after(vec2b, binary(BinaryOp::Or)), HasSubstr("!BoolOr"));
  EXPECT_THAT(after(vec2b, [](TestModule& t, Value* x, Value*) { t.b.unary(ast::UnaryOp::Not, x); }),
              HasSubstr("!Not"));
}

TEST(Arithmetic, SaturatesFloatToInteger) {
  EXPECT_THAT(after(f32, [](TestModule& t, Value* x, Value*) { t.b.convert(t.i32(), x); }), HasSubstr("!ToI32"));
  EXPECT_THAT(after(vec2f, [](TestModule& t, Value* x, Value*) { t.b.convert(t.vec(t.u32(), 2), x); }),
              HasSubstr("vec2<u32> = !ToU32"));
  EXPECT_THAT(after(i32, [](TestModule& t, Value* x, Value*) { t.b.convert(t.f32(), x); }), HasSubstr("= convert"));
}

}  // namespace
}  // namespace kem::wgsl::transform
