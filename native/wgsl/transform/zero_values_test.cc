#include <gmock/gmock.h>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::TestModule;
using sem::AccessMode;
using sem::AddressSpace;
using ::testing::HasSubstr;
using ::testing::Not;

std::string run(TestModule& t, bool by_loops) {
  glsl::Layouts layouts;
  return change(t, zero_values(t.module, layouts, by_loops));
}

TEST(ZeroValues, GivesVariablesAnInitialValue) {
  TestModule t;
  t.b.var(t.u32(), nullptr, "a");
  t.b.var(t.u32(), t.b.u32(7), "b");
  t.b.var(t.types.array(t.f32(), 2), nullptr, "c");
  EXPECT_EQ(run(t, false), R"(
  %0 a: ptr<function, u32, read_write> = var
  %1 b: ptr<function, u32, read_write> = var 7u
  %2 c: ptr<function, array<f32, 2>, read_write> = var
  return
=>
  %0 a: ptr<function, u32, read_write> = var 0u
  %1 b: ptr<function, u32, read_write> = var 7u
  %2 c: ptr<function, array<f32, 2>, read_write> = var array<f32, 2>()
  return
)");
}

// A loop's variables begin as zeros in every iteration.
TEST(ZeroValues, ReachesIntoBlocks) {
  TestModule t;
  auto* loop = t.b.loop();
  auto body = t.in(loop->blocks[0]);
  body.var(t.types.bool_type(), nullptr, "v");
  body.simple(ir::Op::Break);
  EXPECT_EQ(run(t, true), R"(
  loop {
    %0 v: ptr<function, bool, read_write> = var
    break
  }
  return
=>
  loop {
    %0 v: ptr<function, bool, read_write> = var false
    break
  }
  return
)");
}

TEST(ZeroValues, ZeroesLargeVariablesByLoops) {
  TestModule t;
  t.b.var(t.types.array(t.vec(t.u32(), 4), 9), nullptr, "v");
  EXPECT_EQ(run(t, true), R"(
  %0 v: ptr<function, array<vec4<u32>, 9>, read_write> = var
  return
=>
  %1 v: ptr<function, array<vec4<u32>, 9>, read_write> = var
  %2 index: ptr<function, u32, read_write> = var 0u
  loop {
    %3: u32 = load %2
    %4: bool = ge %3, 2u
    if %4 {
      break
    }
    %5: u32 = mul %3, 4u
    %6: ptr<function, vec4<u32>, read_write> = access %1, %5
    store %6, vec4<u32>()
    %7: u32 = add %5, 1u
    %8: ptr<function, vec4<u32>, read_write> = access %1, %7
    store %8, vec4<u32>()
    %9: u32 = add %5, 2u
    %10: ptr<function, vec4<u32>, read_write> = access %1, %9
    store %10, vec4<u32>()
    %11: u32 = add %5, 3u
    %12: ptr<function, vec4<u32>, read_write> = access %1, %11
    store %12, vec4<u32>()
    %13: u32 = add %3, 1u
    store %2, %13
  }
  %14: ptr<function, vec4<u32>, read_write> = access %1, 8u
  store %14, vec4<u32>()
  return
)");
}

TEST(ZeroValues, TakesLargeOnesAsTheyAreWithoutLoops) {
  TestModule t;
  t.b.var(t.types.array(t.u32(), 33), nullptr, "v");
  EXPECT_THAT(run(t, false), Not(HasSubstr("loop")));
}

TEST(ZeroValues, GoesByMembersAndInnerArrays) {
  TestModule t;
  const auto* s = t.structure("S", {TestModule::member("a", t.u32()),
                                    TestModule::member("b", t.types.array(t.types.array(t.vec(t.f32(), 4), 5), 3))});
  t.b.var(s, nullptr, "v");
  EXPECT_EQ(run(t, true), R"(
  %0 v: ptr<function, S, read_write> = var
  return
=>
  %1 v: ptr<function, S, read_write> = var
  %2: ptr<function, u32, read_write> = access %1, 0u
  store %2, 0u
  %3: ptr<function, array<array<vec4<f32>, 5>, 3>, read_write> = access %1, 1u
  %4 index: ptr<function, u32, read_write> = var 0u
  loop {
    %5: u32 = load %4
    %6: bool = ge %5, 3u
    if %6 {
      break
    }
    %7: ptr<function, array<vec4<f32>, 5>, read_write> = access %3, %5
    %8 index: ptr<function, u32, read_write> = var 0u
    loop {
      %9: u32 = load %8
      %10: bool = ge %9, 1u
      if %10 {
        break
      }
      %11: u32 = mul %9, 4u
      %12: ptr<function, vec4<f32>, read_write> = access %7, %11
      store %12, vec4<f32>()
      %13: u32 = add %11, 1u
      %14: ptr<function, vec4<f32>, read_write> = access %7, %13
      store %14, vec4<f32>()
      %15: u32 = add %11, 2u
      %16: ptr<function, vec4<f32>, read_write> = access %7, %15
      store %16, vec4<f32>()
      %17: u32 = add %11, 3u
      %18: ptr<function, vec4<f32>, read_write> = access %7, %17
      store %18, vec4<f32>()
      %19: u32 = add %9, 1u
      store %8, %19
    }
    %20: ptr<function, vec4<f32>, read_write> = access %7, 4u
    store %20, vec4<f32>()
    %21: u32 = add %5, 1u
    store %4, %21
  }
  return
)");
}

TEST(ZeroValues, StoresALargeZeroByLoops) {
  TestModule t;
  const auto* type = t.types.array(t.vec(t.u32(), 4), 64);
  auto* v = t.variable(AddressSpace::Private, type, AccessMode::ReadWrite, "v");
  t.b.store(v, ir::constant_zero(t.module, type));
  EXPECT_EQ(run(t, true), R"(
  store %0, array<vec4<u32>, 64>()
  return
=>
  %1 index: ptr<function, u32, read_write> = var 0u
  loop {
    %2: u32 = load %1
    %3: bool = ge %2, 16u
    if %3 {
      break
    }
    %4: u32 = mul %2, 4u
    %5: ptr<private, vec4<u32>, read_write> = access %0, %4
    store %5, vec4<u32>()
    %6: u32 = add %4, 1u
    %7: ptr<private, vec4<u32>, read_write> = access %0, %6
    store %7, vec4<u32>()
    %8: u32 = add %4, 2u
    %9: ptr<private, vec4<u32>, read_write> = access %0, %8
    store %9, vec4<u32>()
    %10: u32 = add %4, 3u
    %11: ptr<private, vec4<u32>, read_write> = access %0, %10
    store %11, vec4<u32>()
    %12: u32 = add %2, 1u
    store %1, %12
  }
  return
)");
}

TEST(ZeroValues, OfLargePrivateVariablesAreStoredFirst) {
  TestModule t;
  const auto* large = t.types.array(t.vec(t.u32(), 4), 16);
  auto* v = t.variable(AddressSpace::Private, large, AccessMode::ReadWrite, "v");
  auto* small = t.variable(AddressSpace::Private, t.u32(), AccessMode::ReadWrite, "small");
  auto* given = t.variable(AddressSpace::Private, large, AccessMode::ReadWrite, "given");
  given->initializer = ir::constant_zero(t.module, large)->value;
  auto* shared = t.variable(AddressSpace::Workgroup, large, AccessMode::ReadWrite, "shared_words");
  mark_large_private_variables(t.module);
  EXPECT_TRUE(v->zeroed_by_entry_point);
  for (const ir::Variable* other : {small, given, shared}) EXPECT_FALSE(other->zeroed_by_entry_point) << other->name;
  t.b.load(small);
  EXPECT_EQ(change(t, [&] { zero_private_variables(t.module); }), R"(
  %0: u32 = load %1
  return
=>
  %2 index: ptr<function, u32, read_write> = var 0u
  loop {
    %3: u32 = load %2
    %4: bool = ge %3, 4u
    if %4 {
      break
    }
    %5: u32 = mul %3, 4u
    %6: ptr<private, vec4<u32>, read_write> = access %7, %5
    store %6, vec4<u32>()
    %8: u32 = add %5, 1u
    %9: ptr<private, vec4<u32>, read_write> = access %7, %8
    store %9, vec4<u32>()
    %10: u32 = add %5, 2u
    %11: ptr<private, vec4<u32>, read_write> = access %7, %10
    store %11, vec4<u32>()
    %12: u32 = add %5, 3u
    %13: ptr<private, vec4<u32>, read_write> = access %7, %12
    store %13, vec4<u32>()
    %14: u32 = add %3, 1u
    store %2, %14
  }
  %0: u32 = load %1
  return
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
