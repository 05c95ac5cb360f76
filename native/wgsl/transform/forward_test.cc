#include <gmock/gmock.h>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/testing.h"
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

// A loop would compute it again and again.
TEST(Forward, KeepsWhatIsUsedInALoop) {
  Forwarding f;
  auto* u = f.t.variable(AddressSpace::Uniform, f.t.u32(), AccessMode::Read, "u");
  auto* sum = f.t.b.binary(BinaryOp::Add, f.t.b.load(u), f.t.b.u32(1));
  Builder body = f.t.in(f.t.b.loop()->blocks[0]);
  body.store(f.y, sum);
  body.simple(Op::Break);
  f.run();
  EXPECT_FALSE(sum->forwarded);
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

TEST(Forward, KeepsCallsOfWhatCallsAWriter) {
  Forwarding f;
  ir::Function* writer = callee(f, [&](Builder& b, Value* p) { b.store(f.x, p); });
  ir::Function* caller = callee(f, [&](Builder& b, Value* p) { b.call(writer, {p}); });
  auto& functions = f.t.module.functions;
  std::swap(functions[0], functions[1]);  // callees before callers
  auto* called = f.t.b.call(caller, {f.t.b.u32(1)});
  f.t.b.store(f.y, called);
  f.run();
  EXPECT_FALSE(called->forwarded);
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

TEST(Forward, MarksWhatItWritesWhereItIsUsed) {
  Forwarding f;
  Value* sum = f.t.b.binary(BinaryOp::Add, f.t.b.load(f.x), f.t.b.u32(1));
  f.t.b.store(f.y, f.t.b.binary(BinaryOp::Multiply, sum, sum));
  f.t.b.load(f.y);
  EXPECT_EQ(change(f.t, [&] { forward(f.t.module)(*f.t.entry); }), R"(
  %0: u32 = load %1
  %2: u32 = add %0, 1u
  %3: u32 = mul %2, %2
  store %4, %3
  %5: u32 = load %4
  return
=>
  %0: u32 = load %1 @forwarded
  %2: u32 = add %0, 1u
  %3: u32 = mul %2, %2 @forwarded
  store %4, %3
  return
)");
}

TEST(Forward, MovesALoadOfMemoryThatNothingWrites) {
  Forwarding f;
  auto* loaded = f.t.b.load(f.t.variable(AddressSpace::Uniform, f.t.u32(), AccessMode::Read, "u"));
  f.t.b.store(f.x, f.t.b.u32(1));
  f.t.b.store(f.y, loaded);
  f.run();
  EXPECT_TRUE(loaded->forwarded);
}

}  // namespace
}  // namespace kem::wgsl::transform
