// Entry point, layout in buffers, and which values are written where they are used.
#include <gmock/gmock.h>

#include "wgsl/glsl/layout.h"
#include "wgsl/ir/testing.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Op;
using ir::TestModule;
using ir::Value;
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

TEST(Layout, NeedsNoPaddingForWhatStd430DoesAlone) {
  TestModule t;
  const auto* s =
      t.structure("S", {TestModule::member("a", t.u32()), TestModule::member("b", t.vec(t.f32(), 3)),
                        TestModule::member("c", t.f32()), TestModule::member("d", t.types.mat(t.f32(), 3, 3))});
  EXPECT_FALSE(glsl::Layouts().has_padding(s));
}

TEST(Layout, PadsWhereAttributesAskForMore) {
  TestModule t;
  const auto* s = t.structure("S", {TestModule::member("a", t.u32(), 0, 16), TestModule::member("b", t.u32(), 32)});
  glsl::Layouts layouts;
  const auto& padding = layouts.padding_of(sem::as_struct(s));
  ASSERT_EQ(padding.size(), 3u);
  EXPECT_EQ(padding[0].bytes, 0u);
  EXPECT_EQ(padding[1].at, 4u);  // behind what std430 knows of a
  EXPECT_EQ(padding[1].bytes, 28u);
  EXPECT_EQ(padding[2].bytes, 28u);
  EXPECT_TRUE(layouts.has_padding(t.types.array(s, 2)));
}

TEST(HostLayout, StoresPaddedStructuresMemberByMember) {
  TestModule t;
  const auto* s = t.structure("S", {TestModule::member("a", t.u32(), 0, 16), TestModule::member("b", t.u32())});
  auto* x = t.storage(s, "x");
  t.b.store(x, t.b.load(t.b.var(s, ir::constant_zero(t.module, s), "v")));
  t.b.simple(Op::Return);
  glsl::Layouts layouts;
  for (ir::Function* f : t.module.functions) host_layout(t.module, layouts).run(*f);
  EXPECT_EQ(ir::verify(t.module), "");
  size_t stores = 0;
  for_each(t.entry->body, [&](ir::Instruction& i) { stores += i.op == Op::Store; });
  EXPECT_EQ(stores, 2u);
}

struct Forwarding {
  TestModule t;
  ir::Variable* x = t.storage(t.u32(), "x");
  ir::Variable* y = t.storage(t.u32(), "y");
  void run() {
    t.b.simple(Op::Return);
    EXPECT_EQ(ir::verify(t.module), "");
    const auto pass = forward(t.module);
    for (ir::Function* f : t.module.functions) pass(*f);
    EXPECT_EQ(ir::verify(t.module), "");
  }
};

TEST(Forward, WritesAValueAtItsOneUse) {
  Forwarding f;
  auto* loaded = f.t.b.load(f.x);
  f.t.b.store(f.y, loaded);
  f.run();
  EXPECT_TRUE(loaded->forwarded);
}

TEST(Forward, KeepsALoadInFrontOfAStore) {
  Forwarding f;
  auto* loaded = f.t.b.load(f.x);
  f.t.b.store(f.x, f.t.b.u32(1));
  f.t.b.store(f.y, loaded);
  f.run();
  EXPECT_FALSE(loaded->forwarded);
}

TEST(Forward, KeepsAnExpressionThatLoadsInFrontOfAStore) {
  Forwarding f;
  auto* loaded = f.t.b.load(f.x);
  auto* sum = f.t.b.binary(BinaryOp::Add, loaded, f.t.b.u32(1));
  f.t.b.store(f.x, f.t.b.u32(1));
  f.t.b.store(f.y, sum);
  f.run();
  EXPECT_TRUE(loaded->forwarded);
  EXPECT_FALSE(sum->forwarded);
}

TEST(Forward, KeepsWhatIsUsedTwiceOrInAnInnerBlock) {
  Forwarding f;
  auto* twice = f.t.b.load(f.x);
  f.t.b.store(f.y, f.t.b.binary(BinaryOp::Add, twice, twice));
  auto* inner = f.t.b.load(f.x);
  auto* branch = f.t.b.if_(ir::constant_bool(f.t.module, true));
  f.t.in(branch->blocks[0]).store(f.y, inner);
  f.run();
  EXPECT_FALSE(twice->forwarded);
  EXPECT_FALSE(inner->forwarded);
}

TEST(Forward, EvaluatesAPointersIndexOnce) {
  Forwarding f;
  auto* list = f.t.storage(f.t.types.array(f.t.u32(), 4), "list");
  auto* index = f.t.b.load(f.x);
  auto* place = f.t.b.access(list, {index});
  f.t.b.store(f.x, f.t.b.u32(0));
  f.t.b.store(place, f.t.b.u32(7));
  f.run();
  EXPECT_TRUE(place->forwarded);
  EXPECT_FALSE(index->forwarded);
}

// A function with one u32 parameter that `fill` writes a store into.
ir::Function* callee(Forwarding& f, const std::function<void(Builder&, Value*)>& fill) {
  ir::Function* g = f.t.module.function("g", f.t.u32());
  g->parameters.push_back(f.t.module.parameter(f.t.u32(), "p", 0));
  Builder b = f.t.in(g->body);
  fill(b, g->parameters[0]);
  b.emit(Op::Return, f.t.types.void_type(), {g->parameters[0]});
  f.t.module.functions.insert(f.t.module.functions.begin(), g);
  return g;
}

TEST(Forward, WritesCallsThatOnlyReadAtTheirOneUse) {
  Forwarding f;
  ir::Function* g = callee(f, [&](Builder& b, Value* p) { b.store(b.var(f.t.u32(), p, "own"), p); });
  auto* result = f.t.b.call(g, {f.t.b.load(f.x)});
  f.t.b.store(f.y, result);
  f.run();
  EXPECT_TRUE(result->forwarded);
}

TEST(Forward, KeepsCallsThatWriteAndCallsInFrontOfAStore) {
  Forwarding f;
  ir::Function* writer = callee(f, [&](Builder& b, Value* p) { b.store(f.x, p); });
  ir::Function* reader = callee(f, [](Builder&, Value*) {});
  auto* written = f.t.b.call(writer, {f.t.b.u32(1)});
  f.t.b.store(f.y, written);
  auto* read = f.t.b.call(reader, {f.t.b.u32(1)});
  f.t.b.store(f.x, f.t.b.u32(0));
  f.t.b.store(f.y, read);
  f.run();
  EXPECT_FALSE(written->forwarded);
  EXPECT_FALSE(read->forwarded);
}

TEST(Forward, DropsWhatNothingUses) {
  Forwarding f;
  f.t.b.binary(BinaryOp::Add, f.t.b.load(f.x), f.t.b.u32(1));
  f.t.b.var(f.t.u32(), f.t.b.u32(0), "unused");
  f.run();
  EXPECT_EQ(f.t.entry->body->instructions.size(), 1u);
}

TEST(Forward, BoundsAnExpressionsLength) {
  Forwarding f;
  Value* sum = f.t.b.load(f.x);
  for (uint32_t k = 0; k < 200; ++k) sum = f.t.b.binary(BinaryOp::Add, sum, f.t.b.u32(k));
  f.t.b.store(f.y, sum);
  f.run();
  size_t kept = 0;
  for_each(f.t.entry->body, [&](ir::Instruction& i) { kept += i.op == Op::Binary && !i.forwarded; });
  EXPECT_GE(kept, 6u);
}

}  // namespace
}  // namespace kem::wgsl::transform
