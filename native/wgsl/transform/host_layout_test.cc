#include <gmock/gmock.h>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::TestModule;
using sem::AccessMode;
using sem::AddressSpace;

struct HostLayout : ::testing::Test {
  TestModule t;
  const sem::Type* s = t.structure("S", {TestModule::member("a", t.u32(), 0, 16), TestModule::member("b", t.u32())});
  std::string run() {
    glsl::Layouts layouts;
    return change(t, host_layout(t.module, layouts));
  }
};

TEST_F(HostLayout, PaddedStructuresGoMemberByMember) {
  auto* x = t.storage(s, "x");
  t.b.store(x, t.b.load(t.variable(AddressSpace::Uniform, s, AccessMode::Read, "u")));
  EXPECT_EQ(run(), R"(
  %0: S = load %1
  store %2, %0
  return
=>
  %3: ptr<uniform, u32, read> = access %1, 0u
  %4: u32 = load %3
  %5: ptr<uniform, u32, read> = access %1, 1u
  %6: u32 = load %5
  %7: S = construct %4, %6
  %8: ptr<storage, u32, read_write> = access %2, 0u
  %9: u32 = access %7, 0u
  store %8, %9
  %10: ptr<storage, u32, read_write> = access %2, 1u
  %11: u32 = access %7, 1u
  store %10, %11
  return
)");
}

TEST_F(HostLayout, ArraysOfThemGoElementByElement) {
  auto* x = t.storage(t.types.array(s, 3), "x");
  t.b.store(x, t.b.load(x));
  EXPECT_EQ(run(), R"(
  %0: array<S, 3> = load %1
  store %1, %0
  return
=>
  %2 copy: ptr<function, array<S, 3>, read_write> = var
  %3 index: ptr<function, u32, read_write> = var 0u
  loop {
    %4: u32 = load %3
    %5: bool = ge %4, 3u
    if %5 {
      break
    }
    %6: ptr<storage, S, read_write> = access %1, %4
    %7: ptr<storage, u32, read_write> = access %6, 0u
    %8: u32 = load %7
    %9: ptr<storage, u32, read_write> = access %6, 1u
    %10: u32 = load %9
    %11: S = construct %8, %10
    %12: ptr<function, S, read_write> = access %2, %4
    store %12, %11
    %13: u32 = add %4, 1u
    store %3, %13
  }
  %14: array<S, 3> = load %2
  %15 index: ptr<function, u32, read_write> = var 0u
  loop {
    %16: u32 = load %15
    %17: bool = ge %16, 3u
    if %17 {
      break
    }
    %18: ptr<storage, S, read_write> = access %1, %16
    %19: S = access %14, %16
    %20: ptr<storage, u32, read_write> = access %18, 0u
    %21: u32 = access %19, 0u
    store %20, %21
    %22: ptr<storage, u32, read_write> = access %18, 1u
    %23: u32 = access %19, 1u
    store %22, %23
    %24: u32 = add %16, 1u
    store %15, %24
  }
  return
)");
}

TEST_F(HostLayout, PartsWithoutPaddingGoWhole) {
  const auto* outer =
      t.structure("T", {TestModule::member("s", s), TestModule::member("w", t.types.array(t.u32(), 4))});
  t.b.load(t.storage(outer, "x"));
  EXPECT_EQ(run(), R"(
  %0: T = load %1
  return
=>
  %2: ptr<storage, S, read_write> = access %1, 0u
  %3: ptr<storage, u32, read_write> = access %2, 0u
  %4: u32 = load %3
  %5: ptr<storage, u32, read_write> = access %2, 1u
  %6: u32 = load %5
  %7: S = construct %4, %6
  %8: ptr<storage, array<u32, 4>, read_write> = access %1, 1u
  %9: array<u32, 4> = load %8
  %10: T = construct %7, %9
  return
)");
}

TEST_F(HostLayout, MembersAloneStay) {
  auto* x = t.storage(s, "x");
  t.b.store(t.b.member(x, 0), t.b.load(t.b.member(x, 1)));
  EXPECT_TRUE(is_unchanged(run()));
}

TEST_F(HostLayout, StructuresElsewhereStay) {
  t.storage(s, "x");
  t.b.store(t.b.var(s, ir::constant_zero(t.module, s), "v"),
            t.b.load(t.variable(AddressSpace::Private, s, AccessMode::ReadWrite, "p")));
  EXPECT_TRUE(is_unchanged(run()));
}

TEST_F(HostLayout, StructuresWithoutPaddingStay) {
  const auto* plain = t.structure("P", {TestModule::member("a", t.u32()), TestModule::member("b", t.u32())});
  auto* x = t.storage(plain, "x");
  t.b.store(x, t.b.load(x));
  EXPECT_TRUE(is_unchanged(run()));
}

}  // namespace
}  // namespace kem::wgsl::transform
