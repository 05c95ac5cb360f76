// The passes over loops: continuing blocks and the loop budget.
#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::TestModule;
using ir::Value;
using ::testing::HasSubstr;
using ::testing::Not;

struct Loop {
  TestModule t;
  ir::Variable* data = t.storage(t.u32(), "data");
  Instruction* loop = t.b.loop();
  Builder body = t.in(loop->blocks[0]);

  Builder continuing() {
    loop->blocks[1] = t.module.block();
    return t.in(loop->blocks[1]);
  }
  // if (condition) { op }
  void leave(Builder& b, Op op) {
    Instruction* branch = b.if_(b.binary(BinaryOp::Equal, b.load(data), b.u32(1)));
    t.in(branch->blocks[0]).simple(op);
  }
  void run() {
    t.b.simple(Op::Return);
    EXPECT_EQ(ir::verify(t.module), "");
    zero_values(t.module);
    continuing_pass();
    EXPECT_EQ(ir::verify(t.module), "");
  }
  void continuing_pass() { kem::wgsl::transform::continuing(t.module); }
  size_t count(Op op) {
    size_t n = 0;
    for_each(t.entry->body, [&](Instruction& i) { n += i.op == op; });
    return n;
  }
};

TEST(Continuing, FollowsTheBody) {
  Loop l;
  l.leave(l.body, Op::Break);
  auto c = l.continuing();
  c.store(l.data, c.u32(5));
  l.run();
  EXPECT_EQ(l.loop->blocks[1], nullptr);
  EXPECT_EQ(l.loop->blocks[0]->instructions.back()->op, Op::Store);
}

TEST(Continuing, BreakIfBecomesABreak) {
  Loop l;
  auto c = l.continuing();
  c.emit(Op::BreakIf, l.t.types.void_type(), {c.binary(BinaryOp::Equal, c.load(l.data), c.u32(1))});
  l.run();
  EXPECT_EQ(l.count(Op::Break), 1u);
  EXPECT_EQ(l.count(Op::BreakIf), 0u);
}

TEST(Continuing, IsCopiedBeforeEachContinue) {
  Loop l;
  l.leave(l.body, Op::Continue);
  l.leave(l.body, Op::Break);
  auto c = l.continuing();
  c.store(l.data, c.u32(5));
  l.run();
  EXPECT_EQ(l.count(Op::Store), 2u);
}

TEST(Continuing, IsDroppedWhereNothingReachesIt) {
  Loop l;
  l.body.simple(Op::Break);
  auto c = l.continuing();
  c.store(l.data, c.u32(5));
  l.run();
  EXPECT_EQ(l.count(Op::Store), 0u);
}

TEST(Continuing, ThatIsLongMovesToTheStartOfTheNextIteration) {
  Loop l;
  Value* kept = l.body.load(l.data);
  Instruction* var = l.body.var(l.t.u32(), nullptr, "x");
  l.leave(l.body, Op::Continue);
  l.leave(l.body, Op::Break);
  auto c = l.continuing();
  for (int k = 0; k < 100; ++k) c.store(l.data, c.binary(BinaryOp::Add, kept, c.load(var)));
  l.run();
  EXPECT_EQ(l.count(Op::Loop), 1u);
  EXPECT_THAT(l.t.body(), HasSubstr("first: ptr<function, bool, read_write> = var true"));
  EXPECT_THAT(l.t.body(), HasSubstr("} else {"));
  EXPECT_EQ(l.count(Op::Store), 103u);  // the hundred, first = false, kept, x
}

// A copied `break` would leave the switch around the continue.
TEST(Continuing, WithBreakIfIsNotCopiedIntoASwitch) {
  Loop l;
  Instruction* s = l.body.emit(Op::Switch, l.t.types.void_type(), {l.body.load(l.data)});
  s->cases.push_back({{}, true, l.t.module.block()});
  l.t.in(s->cases[0].block).simple(Op::Continue);
  auto c = l.continuing();
  c.emit(Op::BreakIf, l.t.types.void_type(), {c.binary(BinaryOp::Equal, c.load(l.data), c.u32(1))});
  l.run();
  EXPECT_THAT(l.t.body(), HasSubstr("first"));
}

TEST(LoopBudget, CountsIterationsAndSetsTheTrap) {
  Loop l;
  l.run();
  loop_budget(l.t.module, 0, 9);
  EXPECT_EQ(ir::verify(l.t.module), "");
  EXPECT_THAT(l.t.print(), HasSubstr("trap: ptr<storage, atomic<u32>, read_write> @group(0) @binding(9)"));
  EXPECT_THAT(l.t.body(), HasSubstr("!LoopBudget"));
  EXPECT_THAT(l.t.body(), HasSubstr("!AtomicStore"));
  EXPECT_EQ(l.count(Op::Break), 1u);
}

// The invocations of a workgroup leave a loop with a barrier together: by the counter that is the same in all.
TEST(LoopBudget, LeavesALoopWithABarrierByTheUniformCounter) {
  Loop l;
  l.body.intrinsic(ir::Intrinsic::WorkgroupBarrier, l.t.types.void_type(), {});
  l.run();
  loop_budget(l.t.module, 0, 9);
  EXPECT_EQ(ir::verify(l.t.module), "");
  const std::string text = l.t.body();
  EXPECT_EQ(l.count(Op::Break), 1u);
  EXPECT_LT(text.find("!AtomicStore"), text.find("break"));
  EXPECT_LT(text.find("sub"), text.find("break"));  // the first counter has been taken from without leaving
}

TEST(LoopBudget, CountsCallsOfFunctionsThatCall) {
  TestModule t;
  auto* leaf = t.function("leaf", t.u32(), {});
  auto lb = t.in(leaf->body);
  lb.simple(Op::Return)->operands.push_back(lb.u32(1));
  auto* middle = t.function("middle", t.u32(), {});
  auto mb = t.in(middle->body);
  Value* x = mb.call(leaf, {});
  mb.simple(Op::Return)->operands.push_back(x);
  t.b.call(middle, {});
  t.b.simple(Op::Return);
  ASSERT_EQ(ir::verify(t.module), "");
  loop_budget(t.module, 0, 0);
  EXPECT_EQ(ir::verify(t.module), "");
  EXPECT_EQ(leaf->body->instructions.size(), 1u);
  EXPECT_EQ(middle->body->instructions[0]->op, Op::Load);
}

}  // namespace
}  // namespace kem::wgsl::transform
