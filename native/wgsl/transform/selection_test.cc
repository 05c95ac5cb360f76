#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::TestModule;
using ir::Value;
using ::testing::HasSubstr;
using ::testing::Not;

std::string run(TestModule& t) { return change(t, selection(t.module)); }

struct Selection : ::testing::Test {
  TestModule t;
  ir::Variable* index = t.storage(t.u32(), "index");

  const sem::Value* composite(const sem::Type* type, const std::vector<const sem::Value*>& components) {
    auto* value = t.module.values.make<sem::Value>();
    value->type = type;
    value->components = t.module.values.copy(components);
    return value;
  }
  // array(first, first + step, ...)
  Value* numbers(uint32_t count, uint32_t first, uint32_t step) {
    std::vector<const sem::Value*> elements;
    for (uint32_t k = 0; k < count; ++k) elements.push_back(t.b.u32(first + k * step)->value);
    return t.module.constant(composite(t.types.array(t.u32(), count), elements));
  }
};

TEST_F(Selection, IsATreeWithALevelForEachBitOfTheIndex) {
  t.b.access(numbers(4, 10, 1), {t.b.load(index)});
  EXPECT_EQ(run(t), R"(
  %0: u32 = load %1
  %2: u32 = access array<u32, 4>(10u, 11u, 12u, 13u), %0
  return
=>
  %0: u32 = load %1
  %3: u32 = and %0, 1u
  %4: bool = ne %3, 0u
  %5: u32 = select 10u, 11u, %4
  %6: u32 = select 12u, 13u, %4
  %7: u32 = and %0, 2u
  %8: bool = ne %7, 0u
  %9: u32 = select %5, %6, %8
  return
)");
}

TEST_F(Selection, OfAnOddNumberTakesTheLastAsItIs) {
  t.b.access(numbers(3, 10, 1), {t.b.load(index)});
  EXPECT_EQ(run(t), R"(
  %0: u32 = load %1
  %2: u32 = access array<u32, 3>(10u, 11u, 12u), %0
  return
=>
  %0: u32 = load %1
  %3: u32 = and %0, 1u
  %4: bool = ne %3, 0u
  %5: u32 = select 10u, 11u, %4
  %6: u32 = and %0, 2u
  %7: bool = ne %6, 0u
  %8: u32 = select %5, 12u, %7
  return
)");
}

TEST_F(Selection, ReadsASignedIndexAsAnUnsignedOne) {
  t.b.access(numbers(2, 10, 1), {t.b.convert(t.i32(), t.b.load(index))});
  EXPECT_EQ(run(t), R"(
  %0: u32 = load %1
  %2: i32 = convert %0
  %3: u32 = access array<u32, 2>(10u, 11u), %2
  return
=>
  %0: u32 = load %1
  %2: i32 = convert %0
  %4: u32 = convert %2
  %5: u32 = and %4, 1u
  %6: bool = ne %5, 0u
  %7: u32 = select 10u, 11u, %6
  return
)");
}

TEST_F(Selection, GoesByComponentsAndLeavesTheRestOfThePath) {
  const auto* s = t.structure("S", {TestModule::member("a", t.u32()), TestModule::member("b", t.vec(t.f32(), 2))});
  const auto element = [&](uint32_t a, double b) {
    return composite(s, {t.b.u32(a)->value, ir::constant_number(t.module, t.vec(t.f32(), 2), b)->value});
  };
  Value* array = t.module.constant(composite(t.types.array(s, 2), {element(1, 2), element(3, 4)}));
  Value* i = t.b.load(index);
  t.b.access(array, {i, t.b.u32(1), i});
  EXPECT_EQ(run(t), R"(
  %0: u32 = load %1
  %2: f32 = access array<S, 2>(S(1u, vec2<f32>(2f, 2f)), S(3u, vec2<f32>(4f, 4f))), %0, 1u, %0
  return
=>
  %0: u32 = load %1
  %3: u32 = and %0, 1u
  %4: bool = ne %3, 0u
  %5: u32 = select 1u, 3u, %4
  %6: vec2<f32> = select vec2<f32>(2f, 2f), vec2<f32>(4f, 4f), %4
  %7: S = construct %5, %6
  %8: f32 = access %7, 1u, %0
  return
)");
}

TEST_F(Selection, OfZerosIsZero) {
  t.b.access(ir::constant_zero(t.module, t.types.array(t.u32(), 100)), {t.b.load(index)});
  EXPECT_EQ(run(t), R"(
  %0: u32 = load %1
  %2: u32 = access array<u32, 100>(), %0
  return
=>
  %0: u32 = load %1
  return
)");
}

TEST_F(Selection, LeavesConstantIndicesAndVariables) {
  Value* i = t.b.load(index);
  t.b.access(numbers(4, 10, 1), {t.b.u32(2)});
  t.b.load(t.b.access(t.b.var(t.types.array(t.u32(), 4), nullptr, "v"), {i}));
  t.b.access(ir::constant_zero(t.module, t.vec(t.u32(), 4)), {i});
  EXPECT_TRUE(is_unchanged(run(t)));
}

TEST_F(Selection, LeavesWhatIsLarge) {
  t.b.access(numbers(kMaxSelectedScalars + 1, 1, 1), {t.b.load(index)});
  EXPECT_THAT(run(t), Not(HasSubstr("select")));
}

TEST_F(Selection, LeavesWhatIsLargeTogether) {
  Value* i = t.b.load(index);
  constexpr uint32_t kEach = 4096;
  for (uint32_t k = 0; k <= kMaxSelectedTogether / kEach; ++k) t.b.access(numbers(kEach, 2 * k, 0), {i});
  EXPECT_EQ(ir::verify(t.module), "");
  selection(t.module).run(*t.entry);
  size_t left = 0;
  for_each(t.entry->body, [&](const ir::Instruction& x) { left += x.op == ir::Op::Access; });
  EXPECT_EQ(left, 1u);
}

}  // namespace
}  // namespace kem::wgsl::transform
