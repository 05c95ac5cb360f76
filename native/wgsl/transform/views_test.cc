#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Builder;
using ir::Op;
using ir::TestModule;
using ir::Value;
using sem::AccessMode;
using sem::AddressSpace;
using sem::Builtin;
using sem::Type;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Views : ::testing::Test {
  TestModule t;
  ir::Variable* fixed = t.storage(t.types.buffer(64), "fixed");

  static const Type* pointer(TestModule& t, const Value* to, const Type* store) {
    const auto* p = sem::as_pointer(to->type);
    return t.types.pointer(p->space, store, p->access);
  }
  Value* view(Builder& b, Value* buffer, const Type* store, Value* offset) {
    return b.builtin(Builtin::BufferView, pointer(t, buffer, store), {buffer, offset});
  }
  Value* array_view(Value* buffer, const Type* store, Value* offset, Value* length) {
    return t.b.builtin(Builtin::BufferArrayView, pointer(t, buffer, store), {buffer, offset, length});
  }
  Value* dynamic() { return t.b.load(t.variable(AddressSpace::Private, t.u32(), AccessMode::ReadWrite, "n")); }

  std::string run(bool words_in_uniforms = false) {
    return change(t, [&] { pass(words_in_uniforms); });
  }
  std::string after() {
    const std::string text = run();
    return text.substr(text.find("=>"));
  }
  void pass(bool words_in_uniforms) {
    Diagnostics diagnostics;
    views(t.module, words_in_uniforms, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors());
  }
};

TEST_F(Views, OfAConstantPlaceAreThatWord) {
  Value* v = view(t.b, fixed, t.u32(), t.b.u32(8));
  t.b.store(v, t.b.binary(ast::BinaryOp::Add, t.b.load(v), t.b.u32(1)));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, u32, read_write> = bufferView %1, 8u
  %2: u32 = load %0
  %3: u32 = add %2, 1u
  store %0, %3
  return
=>
  %4: ptr<storage, u32, read_write> = access %1, 2u
  %5: u32 = load %4
  %3: u32 = add %5, 1u
  %6: ptr<storage, u32, read_write> = access %1, 2u
  store %6, %3
  return
)");
  EXPECT_EQ(sem::spelling(fixed->type), "ptr<storage, array<u32, 16>, read_write>");
}

TEST_F(Views, OfADynamicPlaceBeginAtAMultipleOfTheirAlignment) {
  t.b.load(view(t.b, fixed, t.vec(t.f32(), 2), dynamic()));
  EXPECT_EQ(run(), R"(
  %0: u32 = load %1
  %2: ptr<storage, vec2<f32>, read_write> = bufferView %3, %0
  %4: vec2<f32> = load %2
  return
=>
  %0: u32 = load %1
  %5: u32 = and %0, 4294967288u
  %6: u32 = shr %5, 2u
  %7: ptr<storage, u32, read_write> = access %3, %6
  %8: u32 = load %7
  %9: f32 = bitcast %8
  %10: u32 = add %5, 4u
  %11: u32 = shr %10, 2u
  %12: ptr<storage, u32, read_write> = access %3, %11
  %13: u32 = load %12
  %14: f32 = bitcast %13
  %15: vec2<f32> = construct %9, %14
  return
)");
}

TEST_F(Views, StoreByBits) {
  t.b.store(view(t.b, fixed, t.f32(), t.b.u32(4)), ir::constant_number(t.module, t.f32(), 1.5));
  t.b.store(view(t.b, fixed, t.vec(t.i32(), 2), t.b.u32(8)), ir::constant_number(t.module, t.vec(t.i32(), 2), 7));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, f32, read_write> = bufferView %1, 4u
  store %0, 1.5f
  %2: ptr<storage, vec2<i32>, read_write> = bufferView %1, 8u
  store %2, vec2<i32>(7i, 7i)
  return
=>
  %3: u32 = bitcast 1.5f
  %4: ptr<storage, u32, read_write> = access %1, 1u
  store %4, %3
  %5: i32 = access vec2<i32>(7i, 7i), 0u
  %6: u32 = bitcast %5
  %7: ptr<storage, u32, read_write> = access %1, 2u
  store %7, %6
  %8: i32 = access vec2<i32>(7i, 7i), 1u
  %9: u32 = bitcast %8
  %10: ptr<storage, u32, read_write> = access %1, 3u
  store %10, %9
  return
)");
}

TEST_F(Views, GoThroughMembersElementsAndColumns) {
  const auto* s =
      t.structure("S", {TestModule::member("a", t.u32()), TestModule::member("m", t.types.mat(t.f32(), 2, 3)),
                        TestModule::member("w", t.types.array(t.u32(), 2))});
  Value* v = view(t.b, fixed, s, t.b.u32(0));
  t.b.load(v);
  Value* n = dynamic();
  t.b.load(t.b.access(v, {t.b.u32(1), n, t.b.u32(2)}));
  t.b.load(t.b.access(v, {t.b.u32(2), t.b.i32(1)}));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, S, read_write> = bufferView %1, 0u
  %2: S = load %0
  %3: u32 = load %4
  %5: ptr<storage, f32, read_write> = access %0, 1u, %3, 2u
  %6: f32 = load %5
  %7: ptr<storage, u32, read_write> = access %0, 2u, 1i
  %8: u32 = load %7
  return
=>
  %9: ptr<storage, u32, read_write> = access %1, 0u
  %10: u32 = load %9
  %11: ptr<storage, u32, read_write> = access %1, 4u
  %12: u32 = load %11
  %13: f32 = bitcast %12
  %14: ptr<storage, u32, read_write> = access %1, 5u
  %15: u32 = load %14
  %16: f32 = bitcast %15
  %17: ptr<storage, u32, read_write> = access %1, 6u
  %18: u32 = load %17
  %19: f32 = bitcast %18
  %20: vec3<f32> = construct %13, %16, %19
  %21: ptr<storage, u32, read_write> = access %1, 8u
  %22: u32 = load %21
  %23: f32 = bitcast %22
  %24: ptr<storage, u32, read_write> = access %1, 9u
  %25: u32 = load %24
  %26: f32 = bitcast %25
  %27: ptr<storage, u32, read_write> = access %1, 10u
  %28: u32 = load %27
  %29: f32 = bitcast %28
  %30: vec3<f32> = construct %23, %26, %29
  %31: mat2x3<f32> = construct %20, %30
  %32: ptr<storage, u32, read_write> = access %1, 12u
  %33: u32 = load %32
  %34: ptr<storage, u32, read_write> = access %1, 13u
  %35: u32 = load %34
  %36: array<u32, 2> = construct %33, %35
  %37: S = construct %10, %31, %36
  %3: u32 = load %4
  %38: u32 = mul %3, 16u
  %39: u32 = add 16u, %38
  %40: u32 = add %39, 8u
  %41: u32 = shr %40, 2u
  %42: ptr<storage, u32, read_write> = access %1, %41
  %43: u32 = load %42
  %44: f32 = bitcast %43
  %45: ptr<storage, u32, read_write> = access %1, 13u
  %46: u32 = load %45
  return
)");
}

TEST_F(Views, LoadLongArraysByLoops) {
  t.b.load(view(t.b, t.storage(t.types.buffer(128), "large"), t.types.array(t.u32(), 17), t.b.u32(0)));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, array<u32, 17>, read_write> = bufferView %1, 0u
  %2: array<u32, 17> = load %0
  return
=>
  %3 copy: ptr<function, array<u32, 17>, read_write> = var array<u32, 17>()
  %4 index: ptr<function, u32, read_write> = var 0u
  loop {
    %5: u32 = load %4
    %6: bool = ge %5, 17u
    if %6 {
      break
    }
    %7: u32 = mul %5, 4u
    %8: u32 = shr %7, 2u
    %9: ptr<storage, u32, read_write> = access %1, %8
    %10: u32 = load %9
    %11: ptr<function, u32, read_write> = access %3, %5
    store %11, %10
    %12: u32 = add %5, 1u
    store %4, %12
  }
  %13: array<u32, 17> = load %3
  return
)");
}

TEST_F(Views, StoreLongArraysByLoops) {
  const auto* type = t.types.array(t.u32(), 17);
  t.b.store(view(t.b, t.storage(t.types.buffer(128), "large"), type, t.b.u32(4)), ir::constant_zero(t.module, type));
  EXPECT_THAT(after(), AllOf(HasSubstr("loop {"), HasSubstr("= add 4u, "), Not(HasSubstr("= var array<"))));
}

// Two halves share a word, and another invocation may be writing the other one.
TEST_F(Views, WriteOneHalfAtomically) {
  Value* v = view(t.b, fixed, t.types.f16(), t.b.u32(2));
  t.b.store(v, t.b.load(v));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, f16, read_write> = bufferView %1, 2u
  %2: f16 = load %0
  store %0, %2
  return
=>
  %3: ptr<storage, u32, read_write> = access %1, 0u
  %4: u32 = load %3
  %5: vec2<f16> = bitcast %4
  %6: f16 = access %5, 1u
  %7: vec2<f16> = construct %6, 0h
  %8: u32 = bitcast %7
  %9: u32 = and 2u, 2u
  %10: u32 = mul %9, 8u
  %11: u32 = shl 65535u, %10
  %12: u32 = complement %11
  %13: ptr<storage, u32, read_write> = access %1, 0u
  %14: u32 = atomicAnd %13, %12
  %15: u32 = shl %8, %10
  %16: u32 = atomicOr %13, %15
  return
)");
}

TEST_F(Views, WriteTwoHalvesTogether) {
  const auto* type = t.vec(t.types.f16(), 4);
  Value* v = view(t.b, fixed, type, t.b.u32(8));
  t.b.store(v, t.b.load(v));
  EXPECT_EQ(run(), R"(
  %0: ptr<storage, vec4<f16>, read_write> = bufferView %1, 8u
  %2: vec4<f16> = load %0
  store %0, %2
  return
=>
  %3: ptr<storage, u32, read_write> = access %1, 2u
  %4: u32 = load %3
  %5: vec2<f16> = bitcast %4
  %6: ptr<storage, u32, read_write> = access %1, 3u
  %7: u32 = load %6
  %8: vec2<f16> = bitcast %7
  %9: vec4<f16> = construct %5, %8
  %10: vec2<f16> = swizzle .xy %9
  %11: u32 = bitcast %10
  %12: ptr<storage, u32, read_write> = access %1, 2u
  store %12, %11
  %13: vec2<f16> = swizzle .zw %9
  %14: u32 = bitcast %13
  %15: ptr<storage, u32, read_write> = access %1, 3u
  store %15, %14
  return
)");
}

TEST_F(Views, OfUniformBuffersAreWordsOfRows) {
  auto* u = t.variable(AddressSpace::Uniform, t.types.buffer(40), AccessMode::Read, "u");
  t.b.load(view(t.b, u, t.u32(), t.b.u32(20)));
  t.b.load(view(t.b, u, t.u32(), dynamic()));
  EXPECT_EQ(run(false), R"(
  %0: ptr<uniform, u32, read> = bufferView %1, 20u
  %2: u32 = load %0
  %3: u32 = load %4
  %5: ptr<uniform, u32, read> = bufferView %1, %3
  %6: u32 = load %5
  return
=>
  %7: ptr<uniform, u32, read> = access %1, 1u, 1u
  %8: u32 = load %7
  %3: u32 = load %4
  %9: u32 = and %3, 4294967292u
  %10: u32 = shr %9, 2u
  %11: u32 = shr %10, 2u
  %12: u32 = and %10, 3u
  %13: ptr<uniform, u32, read> = access %1, %11, %12
  %14: u32 = load %13
  return
)");
  EXPECT_EQ(sem::spelling(u->type), "ptr<uniform, array<vec4<u32>, 3>, read>");
}

TEST_F(Views, OfUniformBuffersAreWordsWhereTheyMayBe) {
  auto* u = t.variable(AddressSpace::Uniform, t.types.buffer(40), AccessMode::Read, "u");
  t.b.load(view(t.b, u, t.u32(), t.b.u32(20)));
  pass(true);
  EXPECT_EQ(sem::spelling(u->type), "ptr<uniform, array<u32, 10>, read>");
  EXPECT_THAT(t.body(), HasSubstr("access %2, 5u"));
}

TEST_F(Views, KnowTheirLength) {
  auto* any = t.storage(t.types.runtime_buffer(), "any");
  t.b.builtin(Builtin::BufferLength, t.u32(), {fixed});
  t.b.builtin(Builtin::BufferLength, t.u32(), {any});
  Value* words = view(t.b, any, t.types.runtime_array(t.vec(t.u32(), 2)), dynamic());
  t.b.array_length(words);
  t.b.array_length(array_view(any, t.types.runtime_array(t.u32()), t.b.u32(16), t.b.u32(32)));
  EXPECT_EQ(run(), R"(
  %0: u32 = bufferLength %1
  %2: u32 = bufferLength %3
  %4: u32 = load %5
  %6: ptr<storage, array<vec2<u32>>, read_write> = bufferView %3, %4
  %7: u32 = array_length %6
  %8: ptr<storage, array<u32>, read_write> = bufferArrayView %3, 16u, 32u
  %9: u32 = array_length %8
  return
=>
  %10: u32 = array_length %3
  %11: u32 = mul %10, 4u
  %4: u32 = load %5
  %12: u32 = array_length %3
  %13: u32 = mul %12, 4u
  %14: u32 = and %4, 4294967288u
  %15: u32 = min %14, %13
  %16: u32 = sub %13, %15
  %17: u32 = div %16, 8u
  %18: u32 = array_length %3
  %19: u32 = mul %18, 4u
  %20: u32 = min 16u, %19
  %21: u32 = sub %19, %20
  %22: u32 = min %21, 32u
  %23: u32 = div %22, 4u
  return
)");
}

TEST_F(Views, OfALargerBufferAsASmallerOneHaveTheSmallersLength) {
  Value* smaller = t.b.convert(pointer(t, fixed, t.types.buffer(16)), fixed);
  t.b.store(t.storage(t.u32(), "out"), t.b.builtin(Builtin::BufferLength, t.u32(), {smaller}));
  EXPECT_THAT(after(), AllOf(HasSubstr(", 16u\n"), Not(HasSubstr("convert"))));
}

TEST_F(Views, OfWorkgroupMemoryAreLoadedBetweenBarriers) {
  auto* w = t.variable(AddressSpace::Workgroup, t.types.buffer(16), AccessMode::ReadWrite, "w");
  t.b.builtin(Builtin::WorkgroupUniformLoad, t.f32(), {view(t.b, w, t.f32(), t.b.u32(4))});
  EXPECT_EQ(run(), R"(
  %0: ptr<workgroup, f32, read_write> = bufferView %1, 4u
  %2: f32 = workgroupUniformLoad %0
  return
=>
  workgroupBarrier
  %3: ptr<workgroup, u32, read_write> = access %1, 1u
  %4: u32 = load %3
  %5: f32 = bitcast %4
  workgroupBarrier
  return
)");
}

// fn set(p: ptr<storage, u32>) { *p = 7; }, of two buffers of different sizes and of one at two places.
TEST_F(Views, AreGivenToACopyOfACalleeForEachKindOfMemory) {
  ir::Function* set = t.function("set", t.types.void_type(), {pointer(t, fixed, t.u32())});
  Builder b = t.in(set->body);
  b.store(set->parameters[0], b.u32(7));
  b.simple(Op::Return);
  auto* any = t.storage(t.types.runtime_buffer(), "any");
  t.b.call(set, {view(t.b, fixed, t.u32(), t.b.u32(0))});
  t.b.call(set, {view(t.b, fixed, t.u32(), t.b.u32(12))});
  t.b.call(set, {view(t.b, any, t.u32(), t.b.u32(4))});
  run();
  EXPECT_EQ(renumbered("\n" + t.print()), R"(
var %0 fixed: ptr<storage, array<u32, 16>, read_write> @group(0) @binding(0)
var %1 any: ptr<storage, array<u32>, read_write> @group(0) @binding(1)
fn %2 set(%3 p: ptr<storage, array<u32, 16>, read_write>, %4 offset: u32) {
  %5: u32 = shr %4, 2u
  %6: ptr<storage, u32, read_write> = access %3, %5
  store %6, 7u
  return
}
fn %7 set(%8 p: ptr<storage, array<u32>, read_write>, %9 offset: u32) {
  %10: u32 = shr %9, 2u
  %11: ptr<storage, u32, read_write> = access %8, %10
  store %11, 7u
  return
}
fn %12 main() @workgroup_size(1, 1, 1) {
  call %2 set %0, 0u
  call %2 set %0, 12u
  %13: u32 = array_length %1
  %14: u32 = mul %13, 4u
  call %7 set %1, 4u
  return
}
)");
}

TEST_F(Views, GiveALengthToWhomAsks) {
  const auto* array = t.types.runtime_array(t.u32());
  ir::Function* count = t.function("count", t.u32(), {pointer(t, fixed, array)});
  Builder b = t.in(count->body);
  b.emit(Op::Return, t.types.void_type(), {b.array_length(count->parameters[0])});
  t.b.call(count, {view(t.b, fixed, array, t.b.u32(16))});
  run();
  EXPECT_EQ(renumbered("\n" + t.print()), R"(
var %0 fixed: ptr<storage, array<u32, 16>, read_write> @group(0) @binding(0)
fn %1 count(%2 p: ptr<storage, array<u32, 16>, read_write>, %3 offset: u32, %4 length: u32) -> u32 {
  %5: u32 = div %4, 4u
  return %5
}
fn %6 main() @workgroup_size(1, 1, 1) {
  %7: u32 = min 16u, 64u
  %8: u32 = sub 64u, %7
  %9: u32 = call %1 count %0, 16u, %8
  return
}
)");
}

TEST_F(Views, RefuseTooManyCopies) {
  const auto* p = pointer(t, fixed, t.u32());
  ir::Function* f = t.function("f", t.types.void_type(), {p});
  t.in(f->body).simple(Op::Return);
  for (size_t k = 1; k <= kMaxSpecializations + 1; ++k) {
    t.b.call(f, {view(t.b, t.storage(t.types.buffer(4 * k), "v"), t.u32(), t.b.u32(0))});
  }
  t.b.simple(Op::Return);
  Diagnostics diagnostics;
  views(t.module, false, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].message,
            "too many combinations of pointers to buffers: more than 4096 copies of functions would be needed");
}

TEST_F(Views, LeaveModulesWithoutBuffersAlone) {
  t.module.variables.clear();
  t.b.store(t.storage(t.u32(), "x"), t.b.u32(1));
  EXPECT_TRUE(is_unchanged(run()));
}

}  // namespace
}  // namespace kem::wgsl::transform
