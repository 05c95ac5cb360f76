#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Op;
using ir::TestModule;
using sem::AccessMode;
using sem::AddressSpace;
using sem::BuiltinValue;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(EntryPoint, AddsTheDispatchsBase) {
  TestModule t;
  t.module.workgroup_size = {8, 4, 1};
  auto* id = t.builtin(t.vec(t.u32(), 3), BuiltinValue::GlobalInvocationId, "id");
  t.b.store(t.storage(id->type, "out"), id);
  t.b.simple(Op::Return);
  entry_point(t.module);
  EXPECT_EQ(ir::verify(t.module), "");
  EXPECT_THAT(t.body(), HasSubstr("!DispatchBase"));
  EXPECT_THAT(t.body(), HasSubstr("construct 8u, 4u, 1u"));
  EXPECT_TRUE(t.entry->parameters.empty());
}

std::string zeroed(const sem::Type* (*type)(TestModule&)) {
  TestModule t;
  t.module.workgroup_size = {32, 1, 1};
  t.variable(AddressSpace::Workgroup, type(t), AccessMode::ReadWrite, "w");
  t.b.simple(Op::Return);
  entry_point(t.module);
  EXPECT_EQ(ir::verify(t.module), "");
  EXPECT_THAT(t.body(), HasSubstr("!WorkgroupBarrier"));
  return t.body();
}

TEST(EntryPoint, ZeroesWorkgroupMemoryWithAllInvocations) {
  EXPECT_THAT(zeroed([](TestModule& t) -> const sem::Type* { return t.types.array(t.u32(), 32); }),
              Not(HasSubstr("if")));
  EXPECT_THAT(zeroed([](TestModule& t) -> const sem::Type* { return t.u32(); }), HasSubstr("= lt %3, 1u"));
  EXPECT_THAT(zeroed([](TestModule& t) -> const sem::Type* { return t.types.array(t.u32(), 33); }),
              HasSubstr("= ge %"));
  EXPECT_THAT(zeroed([](TestModule& t) -> const sem::Type* { return t.types.array(t.types.atomic(t.u32()), 3); }),
              HasSubstr("!AtomicStore"));
  EXPECT_THAT(zeroed([](TestModule& t) -> const sem::Type* { return t.types.array(t.types.array(t.u32(), 5), 3); }),
              HasSubstr("= lt %3, 15u"));
}

TEST(EntryPoint, MakesBuiltInValuesOfWhatTheDeviceTells) {
  TestModule t;
  t.module.workgroup_size = {8, 4, 2};
  auto* id = t.builtin(t.vec(t.u32(), 3), BuiltinValue::GlobalInvocationId, "id");
  auto* local = t.builtin(t.vec(t.u32(), 3), BuiltinValue::LocalInvocationId, "local");
  auto* out = t.storage(id->type, "out");
  t.b.store(out, id);
  t.b.store(out, local);
  EXPECT_EQ(change(t, [&] { entry_point(t.module); }), R"(
  store %0, %1
  store %0, %2
  return
=>
  %3: vec3<u32> = !DispatchBase
  %4: vec3<u32> = !WorkgroupId
  %5: vec3<u32> = add %3, %4
  %6: vec3<u32> = construct 8u, 4u, 2u
  %7: vec3<u32> = mul %5, %6
  %8 local: vec3<u32> = !LocalInvocationId
  %9 id: vec3<u32> = add %7, %8
  store %0, %9
  store %0, %8
  return
)");
}

TEST(EntryPoint, NumbersWorkgroupsAndInvocations) {
  TestModule t;
  t.module.workgroup_size = {8, 4, 2};
  auto* group = t.builtin(t.u32(), BuiltinValue::WorkgroupIndex, "group");
  auto* index = t.builtin(t.u32(), BuiltinValue::GlobalInvocationIndex, "index");
  t.b.store(t.storage(t.u32(), "out"), t.b.binary(ast::BinaryOp::Add, group, index));
  EXPECT_EQ(change(t, [&] { entry_point(t.module); }), R"(
  %0: u32 = add %1, %2
  store %3, %0
  return
=>
  %4: vec3<u32> = !DispatchBase
  %5: vec3<u32> = !WorkgroupId
  %6: vec3<u32> = add %4, %5
  %7: vec3<u32> = !DispatchCount
  %8: u32 = access %6, 2u
  %9: u32 = access %7, 1u
  %10: u32 = mul %8, %9
  %11: u32 = access %6, 1u
  %12: u32 = add %11, %10
  %13: u32 = access %7, 0u
  %14: u32 = mul %12, %13
  %15: u32 = access %6, 0u
  %16 group: u32 = add %15, %14
  %17: vec3<u32> = construct 8u, 4u, 2u
  %18: vec3<u32> = mul %6, %17
  %19: vec3<u32> = !LocalInvocationId
  %20: vec3<u32> = add %18, %19
  %21: vec3<u32> = mul %7, %17
  %22: u32 = access %20, 2u
  %23: u32 = access %21, 1u
  %24: u32 = mul %22, %23
  %25: u32 = access %20, 1u
  %26: u32 = add %25, %24
  %27: u32 = access %21, 0u
  %28: u32 = mul %26, %27
  %29: u32 = access %20, 0u
  %30 index: u32 = add %29, %28
  %0: u32 = add %16, %30
  store %3, %0
  return
)");
}

TEST(EntryPoint, ZeroesByALoopWhatIsMoreThanTheInvocations) {
  TestModule t;
  t.module.workgroup_size = {4, 1, 1};
  const auto* s = t.structure("S", {TestModule::member("count", t.types.atomic(t.u32())),
                                    TestModule::member("sums", t.types.array(t.f32(), 3))});
  t.variable(AddressSpace::Workgroup, t.types.array(s, 2), AccessMode::ReadWrite, "w");
  EXPECT_EQ(change(t, [&] { entry_point(t.module); }), R"(
  return
=>
  %0: u32 = !LocalInvocationIndex
  %1: bool = lt %0, 2u
  if %1 {
    %2: ptr<workgroup, atomic<u32>, read_write> = access %3, %0, 0u
    !AtomicStore %2, 0u
  }
  %4 place: ptr<function, u32, read_write> = var %0
  loop {
    %5: u32 = load %4
    %6: bool = ge %5, 6u
    if %6 {
      break
    }
    %7: u32 = div %5, 3u
    %8: u32 = rem %5, 3u
    %9: ptr<workgroup, f32, read_write> = access %3, %7, 1u, %8
    store %9, 0f
    %10: u32 = add %5, 4u
    store %4, %10
  }
  !WorkgroupBarrier
  return
)");
}

TEST(EntryPoint, LetsOneOfEachSubgroupDrawItsNumber) {
  TestModule t;
  t.module.workgroup_size = {1, 1, 1};
  t.module.subgroup_counter =
      t.variable(AddressSpace::Workgroup, t.types.atomic(t.u32()), AccessMode::ReadWrite, "counter");
  auto* id = t.builtin(t.u32(), BuiltinValue::SubgroupId, "id");
  auto* count = t.builtin(t.u32(), BuiltinValue::NumSubgroups, "count");
  t.b.store(t.storage(t.u32(), "out"), t.b.binary(ast::BinaryOp::Add, id, count));
  EXPECT_EQ(change(t, [&] { entry_point(t.module); }), R"(
  %0: u32 = add %1, %2
  store %3, %0
  return
=>
  %4: u32 = !LocalInvocationIndex
  !AtomicStore %5, 0u
  !WorkgroupBarrier
  %6 subgroup_number: ptr<function, u32, read_write> = var 0u
  %7: bool = !SubgroupElect
  if %7 {
    %8: u32 = !AtomicAdd %5, 1u
    store %6, %8
  }
  %9: u32 = load %6
  %10 id: u32 = !SubgroupBroadcastFirst %9
  !WorkgroupBarrier
  %11 count: u32 = !AtomicLoad %5
  %0: u32 = add %10, %11
  store %3, %0
  return
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
