#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::TestModule;
using ir::Value;
using sem::AccessMode;
using sem::AddressSpace;
using sem::Builtin;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string run(TestModule& t) { return change(t, builtins(t.module)); }

// What becomes of an operation that `make` writes on two loaded values of `type`.
template <class Make>
std::string after(const sem::Type* (*type)(TestModule&), Make make) {
  TestModule t;
  Value* x = t.b.load(t.storage(type(t), "x"));
  Value* y = t.b.load(t.storage(type(t), "y"));
  make(t, x, y);
  const std::string text = run(t);
  return text.substr(text.find("=>"));
}

const sem::Type* i32(TestModule& t) { return t.i32(); }
const sem::Type* u32(TestModule& t) { return t.u32(); }
const sem::Type* f32(TestModule& t) { return t.f32(); }
const sem::Type* boolean(TestModule& t) { return t.types.bool_type(); }
const sem::Type* vec2i(TestModule& t) { return t.vec(t.i32(), 2); }
const sem::Type* vec2f(TestModule& t) { return t.vec(t.f32(), 2); }
const sem::Type* vec4h(TestModule& t) { return t.vec(t.types.f16(), 4); }

auto call(Builtin builtin) {
  return [builtin](TestModule& t, Value* x, Value* y) { t.b.builtin(builtin, x->type, {x, y}); };
}
auto call_one(Builtin builtin) {
  return [builtin](TestModule& t, Value* x, Value*) { t.b.builtin(builtin, x->type, {x}); };
}

TEST(Builtins, ThatMeanTheSameKeepTheirForm) {
  EXPECT_THAT(after(f32, call(Builtin::Atan2)), HasSubstr("!Atan "));
  EXPECT_THAT(after(f32, call_one(Builtin::Round)), HasSubstr("!RoundEven"));
  EXPECT_THAT(after(i32, call(Builtin::Max)), HasSubstr("!Max"));
}

TEST(Builtins, ClampIsMinOfMax) {
  EXPECT_THAT(after(i32,
                    [](TestModule& t, Value* x, Value* y) {
                      t.b.builtin(Builtin::Clamp, x->type, {x, y, x});
                    }),
              AllOf(HasSubstr("!Max %0, %2"), HasSubstr("!Min")));
}

TEST(Builtins, LengthOfAScalarIsItsMagnitude) {
  EXPECT_THAT(after(f32, call_one(Builtin::Length)), HasSubstr("!Abs"));
  EXPECT_THAT(after(vec2f, [](TestModule& t, Value* x, Value*) { t.b.builtin(Builtin::Length, t.f32(), {x}); }),
              HasSubstr("!Length"));
}

TEST(Builtins, SelectTakesAScalarConditionForVectors) {
  EXPECT_THAT(after(vec2f,
                    [](TestModule& t, Value* x, Value* y) {
                      t.b.builtin(Builtin::Select, x->type, {x, y, ir::constant_bool(t.module, true)});
                    }),
              HasSubstr("!Ternary true, %2, %0"));
}

TEST(Builtins, BitcastGoesOverTheFunctionOfItsTypes) {
  EXPECT_THAT(after(f32, [](TestModule& t, Value* x, Value*) { t.b.builtin(Builtin::Bitcast, t.i32(), {x}); }),
              HasSubstr("!FloatBitsToInt"));
  EXPECT_THAT(after(i32, [](TestModule& t, Value* x, Value*) { t.b.builtin(Builtin::Bitcast, t.u32(), {x}); }),
              HasSubstr("= convert"));
}

TEST(Builtins, IntegerDotIsASumOfProducts) {
  EXPECT_THAT(after(vec2i,
                    [](TestModule& t, Value* x, Value* y) {
                      t.b.builtin(Builtin::Dot, t.i32(), {x, y});
                    }),
              AllOf(HasSubstr("= mul"), HasSubstr("= add"), Not(HasSubstr("!Dot"))));
}

TEST(Builtins, BitcastOfHalvesGoesByPairs) {
  EXPECT_THAT(
      after(vec4h, [](TestModule& t, Value* x, Value*) { t.b.builtin(Builtin::Bitcast, t.vec(t.u32(), 2), {x}); }),
      AllOf(HasSubstr("swizzle .xy"), HasSubstr("swizzle .zw"), HasSubstr("!PackFloat2x16")));
  EXPECT_THAT(
      after(f32, [](TestModule& t, Value* x, Value*) { t.b.builtin(Builtin::Bitcast, t.vec(t.types.f16(), 2), {x}); }),
      AllOf(HasSubstr("u32 = !FloatBitsToUint"), HasSubstr("vec2<f16> = !UnpackFloat2x16")));
}

TEST(Builtins, OnBooleansAndUnsignedNumbersMayBeTheirArgument) {
  for (const Builtin b : {Builtin::All, Builtin::Any})
    EXPECT_THAT(after(boolean, call_one(b)), Not(AnyOf(HasSubstr("!"), HasSubstr(" all "), HasSubstr(" any "))));
  EXPECT_THAT(after(u32, call_one(Builtin::Abs)), Not(HasSubstr("bs")));
  EXPECT_THAT(after(i32, call_one(Builtin::Abs)), HasSubstr("!Abs"));
}

// The formula of the specification's accuracy, exact at both ends.
TEST(Builtins, MixIsWrittenOut) {
  TestModule t;
  Value* x = t.b.load(t.storage(t.f32(), "x"));
  t.b.builtin(Builtin::Mix, t.f32(), {x, x, x});
  EXPECT_EQ(run(t), R"(
  %0: f32 = load %1
  %2: f32 = mix %0, %0, %0
  return
=>
  %0: f32 = load %1
  %3: f32 = sub 1f, %0
  %4: f32 = mul %0, %3
  %5: f32 = mul %0, %0
  %6: f32 = add %4, %5
  return
)");
}

TEST(Builtins, SaturateIsAClampFromZeroToOne) {
  EXPECT_THAT(after(vec2f, call_one(Builtin::Saturate)),
              AllOf(HasSubstr("!Max %0, vec2<f32>(0f, 0f)"), HasSubstr(", vec2<f32>(1f, 1f)")));
}

TEST(Builtins, FractAndModfAreDifferences) {
  TestModule t;
  Value* x = t.b.load(t.storage(t.f32(), "x"));
  t.b.builtin(Builtin::Fract, t.f32(), {x});
  const auto* result = t.structure("R", {TestModule::member("fract", t.f32()), TestModule::member("whole", t.f32())});
  t.b.builtin(Builtin::Modf, result, {x});
  EXPECT_EQ(run(t), R"(
  %0: f32 = load %1
  %2: f32 = fract %0
  %3: R = modf %0
  return
=>
  %0: f32 = load %1
  %4: f32 = !Floor %0
  %5: f32 = sub %0, %4
  %6: f32 = !Trunc %0
  %7: f32 = sub %0, %6
  %8: R = construct %7, %6
  return
)");
}

TEST(Builtins, FrexpLeavesTheExponentInAVariable) {
  TestModule t;
  const auto* result = t.structure("R", {TestModule::member("fract", t.f32()), TestModule::member("exp", t.i32())});
  t.b.builtin(Builtin::Frexp, result, {t.b.load(t.storage(t.f32(), "x"))});
  EXPECT_EQ(run(t), R"(
  %0: f32 = load %1
  %2: R = frexp %0
  return
=>
  %0: f32 = load %1
  %3 exponent: ptr<function, i32, read_write> = var 0i
  %4: f32 = !Frexp %0, %3
  %5: i32 = load %3
  %6: R = construct %4, %5
  return
)");
}

TEST(Builtins, AtomicsWithoutAFormOfTheirOwn) {
  TestModule t;
  auto* a = t.storage(t.types.atomic(t.u32()), "a");
  t.b.builtin(Builtin::AtomicSub, t.u32(), {a, t.b.u32(3)});
  const auto* result = t.structure(
      "R", {TestModule::member("old_value", t.u32()), TestModule::member("exchanged", t.types.bool_type())});
  t.b.builtin(Builtin::AtomicCompareExchangeWeak, result, {a, t.b.u32(1), t.b.u32(2)});
  EXPECT_EQ(run(t), R"(
  %0: u32 = atomicSub %1, 3u
  %2: R = atomicCompareExchangeWeak %1, 1u, 2u
  return
=>
  %3: u32 = sub 0u, 3u
  %4: u32 = !AtomicAdd %1, %3
  %5: u32 = !AtomicCompSwap %1, 1u, 2u
  %6: bool = eq %5, 1u
  %7: R = construct %5, %6
  return
)");
}

TEST(Builtins, WorkgroupUniformLoadIsBetweenBarriers) {
  TestModule t;
  auto* plain = t.variable(AddressSpace::Workgroup, t.u32(), AccessMode::ReadWrite, "plain");
  auto* atomic = t.variable(AddressSpace::Workgroup, t.types.atomic(t.u32()), AccessMode::ReadWrite, "atomic");
  t.b.builtin(Builtin::WorkgroupUniformLoad, t.u32(), {plain});
  t.b.builtin(Builtin::WorkgroupUniformLoad, t.u32(), {atomic});
  EXPECT_EQ(run(t), R"(
  %0: u32 = workgroupUniformLoad %1
  %2: u32 = workgroupUniformLoad %3
  return
=>
  !WorkgroupBarrier
  %4: u32 = load %1
  !WorkgroupBarrier
  !WorkgroupBarrier
  %5: u32 = !AtomicLoad %3
  !WorkgroupBarrier
  return
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
