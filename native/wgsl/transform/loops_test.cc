// The passes over loops: continuing blocks and the loop budget.
#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/counted_loop.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"
#include "wgsl/transform/uniformity.h"

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

bool loop_budget(ir::Module& module) {
  LoopBudget budget(module, 0, 9);
  budget.run(module.functions);
  return budget.counts();
}

std::optional<CountedLoop> counted_loop(const TestModule& t, size_t index) {
  return CountedLoops(t.module).find(*t.entry->body, index);
}

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
    glsl::Layouts layouts;
    for (ir::Function* f : t.module.functions) zero_values(t.module, layouts, false).run(*f);
    continuing_pass();
    EXPECT_EQ(ir::verify(t.module), "");
  }
  void continuing_pass() {
    for (ir::Function* f : t.module.functions) kem::wgsl::transform::continuing(t.module, *f);
  }
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
  EXPECT_TRUE(loop_budget(l.t.module));
  EXPECT_EQ(ir::verify(l.t.module), "");
  EXPECT_THAT(l.t.print(), HasSubstr("trap: ptr<storage, atomic<u32>, read_write> @group(0) @binding(9)"));
  EXPECT_THAT(l.t.body(), HasSubstr("!LoopBudget"));
  EXPECT_THAT(l.t.body(), Not(HasSubstr("!LoopGroup")));
  EXPECT_LT(l.t.body().find("break"), l.t.body().find("!AtomicStore"));  // in the loop, behind it
  EXPECT_EQ(l.count(Op::Break), 1u);
}

// for (var i = 0; i < limit; i++) {}
struct For {
  TestModule& t;
  Instruction* variable;
  Instruction* loop;
  Builder body;

  For(TestModule& module, Builder& b, Value* limit, Value* step = nullptr)
      : t(module), variable(b.var(t.u32(), b.u32(0), "i")), loop(b.loop()), body(t.in(loop->blocks[0])) {
    Value* stays = body.binary(BinaryOp::Less, body.load(variable), limit);
    t.in(body.if_(body.unary(ast::UnaryOp::Not, stays))->blocks[0]).simple(Op::Break);
    Builder continuing = t.in(loop->blocks[1] = t.module.block());
    Value* next = continuing.binary(BinaryOp::Add, continuing.load(variable), step ? step : continuing.u32(1));
    continuing.store(variable, next);
  }
};

struct ForLoop : ::testing::Test {
  TestModule t;
  ir::Variable* limit = t.variable(sem::AddressSpace::Uniform, t.u32(), sem::AccessMode::Read, "limit");
  ir::Variable* data = t.storage(t.u32(), "data");
  Value* lane = t.b.intrinsic(ir::Intrinsic::LocalInvocationIndex, t.u32(), {});

  bool run() {
    t.b.simple(Op::Return);
    EXPECT_EQ(ir::verify(t.module), "");
    const bool counts = loop_budget(t.module);
    EXPECT_EQ(ir::verify(t.module), "");
    return counts;
  }
};

TEST_F(ForLoop, ThatIsShortCountsNothing) {
  const For outer(t, t.b, t.b.u32(10));
  Builder body = outer.body;
  const For inner(t, body, body.u32(20));
  EXPECT_FALSE(run());
  EXPECT_THAT(t.print(), Not(HasSubstr("left")));
}

TEST_F(ForLoop, CountsOnceBeforeItBegins) {
  const For loop(t, t.b, t.b.load(limit));
  EXPECT_TRUE(run());
  EXPECT_EQ(loop.loop->blocks[0]->instructions.size(), 4u);  // as it was
  EXPECT_LT(t.body().find("!Ternary"), t.body().find("loop"));
}

// if (data == 1) { break; }
void break_out(TestModule& t, Builder& body, Value* data) {
  t.in(body.if_(body.binary(BinaryOp::Equal, body.load(data), body.u32(1)))->blocks[0]).simple(Op::Break);
}

// Whether each iteration begins with `left <= …`.
bool counts_each_time(const For& loop) {
  for (const Instruction* i : loop.loop->blocks[0]->instructions) {
    if (i->op == Op::If) return false;
    if (i->op == Op::Binary && i->binary == BinaryOp::LessEqual) return true;
  }
  return false;
}

TEST_F(ForLoop, WithAnotherWayOutCountsBehind) {
  For loop(t, t.b, t.b.load(limit));
  break_out(t, loop.body, data);
  const size_t size = loop.loop->blocks[0]->instructions.size();
  const Value* written = loop.loop->blocks[0]->instructions[1]->operands[1];
  EXPECT_TRUE(run());
  const auto& body = loop.loop->blocks[0]->instructions;
  EXPECT_FALSE(counts_each_time(loop));
  ASSERT_EQ(body.size(), size);              // as it was, but that
  EXPECT_NE(body[1]->operands[1], written);  // it ends where nothing is left
  EXPECT_LT(t.body().find("loop"), t.body().rfind("!Min"));
}

TEST_F(ForLoop, WithAnotherWayOutAndOneThatCountsInItCountsEachTime) {
  For loop(t, t.b, t.b.load(limit));
  break_out(t, loop.body, data);
  const For inner(t, loop.body, loop.body.load(limit));
  EXPECT_TRUE(run());
  EXPECT_TRUE(counts_each_time(loop));
}

TEST_F(ForLoop, ThatMayWrapAroundAndHasAnotherWayOutCountsEachTime) {
  For loop(t, t.b, t.b.load(limit), t.b.u32(2));
  break_out(t, loop.body, data);
  EXPECT_TRUE(run());
  EXPECT_TRUE(counts_each_time(loop));
}

TEST_F(ForLoop, ThatReturnsCountsEachTime) {
  For loop(t, t.b, t.b.load(limit));
  t.in(loop.body.if_(loop.body.binary(BinaryOp::Equal, loop.body.load(data), loop.body.u32(1)))->blocks[0])
      .simple(Op::Return);
  EXPECT_TRUE(run());
  EXPECT_TRUE(counts_each_time(loop));
}

TEST_F(ForLoop, AddsTheShortOnesInIt) {
  For outer(t, t.b, t.b.load(limit));
  const For inner(t, outer.body, outer.body.u32(20));
  EXPECT_TRUE(run());
  EXPECT_THAT(t.body(), HasSubstr("22u"));  // itself, 20 times, and the look that ends it
}

TEST_F(ForLoop, ThatDiffersOnceTakesNoMore) {
  const For loop(t, t.b, lane);
  EXPECT_TRUE(run());
  EXPECT_THAT(t.body(), Not(HasSubstr("!LoopGroup")));
}

TEST_F(ForLoop, ThatDiffersTwiceTakesTwice) {
  const For first(t, t.b, lane);
  const For second(t, t.b, lane);
  EXPECT_TRUE(run());
  EXPECT_THAT(t.body(), HasSubstr("!LoopGroup"));
  EXPECT_THAT(t.body(), HasSubstr(", 2u"));
}

TEST_F(ForLoop, ThatDiffersInAnotherTakesTheGroup) {
  For outer(t, t.b, t.b.load(limit));
  const For inner(t, outer.body, lane);
  EXPECT_TRUE(run());
  EXPECT_THAT(t.body(), HasSubstr("!LoopGroup"));
}

// The invocations of a workgroup leave a loop with a barrier together: by the counter that is the same in all.
TEST_F(ForLoop, WithABarrierIsLeftByTheUniformCounter) {
  For outer(t, t.b, t.b.load(limit));
  outer.body.intrinsic(ir::Intrinsic::WorkgroupBarrier, t.types.void_type(), {});
  const For inner(t, outer.body, lane);
  EXPECT_TRUE(run());
  EXPECT_THAT(t.print(), HasSubstr("uniform_left: ptr<private, u32, read_write>"));
}

TEST_F(ForLoop, WithABarrierAloneNeedsOneCounter) {
  For outer(t, t.b, t.b.load(limit));
  outer.body.intrinsic(ir::Intrinsic::WorkgroupBarrier, t.types.void_type(), {});
  EXPECT_TRUE(run());
  EXPECT_THAT(t.print(), Not(HasSubstr("uniform_left")));
}

// ---- How often a loop runs

std::optional<uint64_t> most(uint32_t limit, uint32_t step) {
  TestModule t;
  const For loop(t, t.b, t.b.u32(limit), t.b.u32(step));
  const auto counted = counted_loop(t, t.entry->body->instructions.size() - 1);
  return counted ? counted->most : std::nullopt;
}

TEST(CountedLoop, HasAMost) {
  EXPECT_EQ(most(10, 1), 10u);
  EXPECT_EQ(most(10, 3), 4u);
  EXPECT_EQ(most(9, 3), 3u);
  EXPECT_EQ(most(0, 1), 0u);
  EXPECT_EQ(most(0xffffffff, 1), 0xffffffffu);
}

TEST(CountedLoop, ThatWrapsAroundHasNone) { EXPECT_EQ(most(0xffffffff, 2), std::nullopt); }

// while (data != 1 && i > limit) { i -= 1; }
TEST(CountedLoop, IsOneOfSeveralConditions) {
  TestModule t;
  ir::Variable* data = t.storage(t.u32(), "data");
  Instruction* variable = t.b.var(t.u32(), t.b.u32(50), "i");
  Instruction* loop = t.b.loop();
  Builder body = t.in(loop->blocks[0]);
  Value* other = body.binary(BinaryOp::NotEqual, body.load(data), body.u32(1));
  Value* counts = body.binary(BinaryOp::Greater, body.load(variable), body.u32(10));
  Value* both = body.binary(BinaryOp::LogicalAnd, other, counts);
  t.in(body.if_(body.unary(ast::UnaryOp::Not, both))->blocks[0]).simple(Op::Break);
  body.store(variable, body.binary(BinaryOp::Subtract, body.load(variable), body.u32(1)));
  const auto counted = counted_loop(t, t.entry->body->instructions.size() - 1);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->compare, BinaryOp::Greater);
  EXPECT_EQ(counted->comparison, counts);
  EXPECT_EQ(counted->most, 40u);
  EXPECT_FALSE(counted->only_exit);
  EXPECT_TRUE(counted->can_stop);
}

TEST(CountedLoop, IsNoneWhereTheVariableIsWrittenTwice) {
  TestModule t;
  For loop(t, t.b, t.b.u32(10));
  loop.body.store(loop.variable, loop.body.u32(0));
  EXPECT_FALSE(counted_loop(t, 1));
}

TEST(CountedLoop, IsNoneWhereTheLimitChanges) {
  TestModule t;
  ir::Variable* data = t.storage(t.u32(), "data");
  Instruction* variable = t.b.var(t.u32(), t.b.u32(0), "i");
  Instruction* loop = t.b.loop();
  Builder body = t.in(loop->blocks[0]);
  Value* done = body.binary(BinaryOp::GreaterEqual, body.load(variable), body.load(data));
  t.in(body.if_(done)->blocks[0]).simple(Op::Break);
  body.store(variable, body.binary(BinaryOp::Add, body.load(variable), body.u32(1)));
  EXPECT_FALSE(counted_loop(t, 1));
}

// ---- Which loops are run through together

struct Together : ForLoop {
  bool together(const Instruction* loop) const { return together(loop, *t.entry); }
  bool together(const Instruction* loop, const ir::Function& f) const {
    Uniformity uniformity(t.module);
    uniformity.look_at(t.module.functions);
    return uniformity.together(f, *loop);
  }
  void return_if(Value* condition) { t.in(t.b.if_(condition)->blocks[0]).simple(Op::Return); }
};

TEST_F(Together, ByTheLimit) {
  EXPECT_TRUE(together(For(t, t.b, t.b.load(limit)).loop));
  EXPECT_FALSE(together(For(t, t.b, lane).loop));
  EXPECT_FALSE(together(For(t, t.b, t.b.load(data)).loop));
}

TEST_F(Together, NotBehindAVariableThatDiffers) {
  Instruction* v = t.b.var(t.u32(), t.b.u32(4), "v");
  Instruction* branch = t.b.if_(t.b.binary(BinaryOp::Less, lane, t.b.u32(4)));
  Builder then = t.in(branch->blocks[0]);
  then.store(v, then.u32(7));
  EXPECT_FALSE(together(For(t, t.b, t.b.load(v)).loop));
}

TEST_F(Together, WhereTheOthersAreGoneBeforeTheFirstLoop) {
  return_if(t.b.binary(BinaryOp::Less, lane, t.b.u32(4)));
  EXPECT_TRUE(together(For(t, t.b, t.b.load(limit)).loop));
}

TEST_F(Together, NotWhereOthersHaveLeftSinceALoop) {
  const For first(t, t.b, t.b.load(limit));
  return_if(t.b.binary(BinaryOp::Less, lane, t.b.u32(4)));
  const For second(t, t.b, t.b.load(limit));
  EXPECT_TRUE(together(first.loop));
  EXPECT_FALSE(together(second.loop));
}

TEST_F(Together, InTheOnlyBranchWithLoops) {
  Instruction* branch = t.b.if_(t.b.binary(BinaryOp::Less, lane, t.b.u32(4)), true);
  Builder then = t.in(branch->blocks[0]);
  const For loop(t, then, then.load(limit));
  EXPECT_TRUE(together(loop.loop));
  Builder otherwise = t.in(branch->blocks[1]);
  const For other(t, otherwise, otherwise.load(limit));
  EXPECT_FALSE(together(loop.loop));
}

TEST_F(Together, ByHowAFunctionIsCalled) {
  ir::Function* f = t.function("f", t.types.void_type(), {t.u32(), t.u32()});
  Builder in_f = t.in(f->body);
  const For loop(t, in_f, f->parameters[1]);
  t.b.call(f, {lane, t.b.load(limit)});
  EXPECT_TRUE(together(loop.loop, *f));
  t.b.call(f, {t.b.load(limit), lane});
  EXPECT_FALSE(together(loop.loop, *f));
}

TEST_F(Together, NotWhereSomeCallAFunction) {
  ir::Function* f = t.function("f", t.types.void_type(), {});
  Builder in_f = t.in(f->body);
  const For loop(t, in_f, in_f.load(limit));
  t.b.call(f, {});
  EXPECT_TRUE(together(loop.loop, *f));
  const For other(t, t.b, t.b.load(limit));
  t.in(t.b.if_(t.b.binary(BinaryOp::Less, lane, t.b.u32(4)))->blocks[0]).call(f, {});
  EXPECT_FALSE(together(loop.loop, *f));
  EXPECT_TRUE(together(other.loop));
}

// What a function stores there, from what it is called with, another reads that comes before it.
TEST_F(Together, ByWhatPrivateVariablesHold) {
  ir::Variable* shared = t.variable(sem::AddressSpace::Private, t.u32(), sem::AccessMode::ReadWrite, "shared");
  ir::Function* reads = t.function("reads", t.types.void_type(), {});
  Builder in_reads = t.in(reads->body);
  const For loop(t, in_reads, in_reads.load(shared));
  ir::Function* writes = t.function("writes", t.types.void_type(), {t.u32()});
  t.in(writes->body).store(shared, writes->parameters[0]);
  t.b.call(writes, {t.b.load(limit)});
  t.b.call(reads, {});
  EXPECT_TRUE(together(loop.loop, *reads));
  t.b.call(writes, {lane});
  EXPECT_FALSE(together(loop.loop, *reads));
}

// More of them than there are bits for.
TEST_F(Together, NotByOneOfVeryManyPrivateVariables) {
  ir::Variable* last = nullptr;
  for (int k = 0; k < 40; ++k) {
    last = t.variable(sem::AddressSpace::Private, t.u32(), sem::AccessMode::ReadWrite, "v" + std::to_string(k));
  }
  EXPECT_FALSE(together(For(t, t.b, t.b.load(last)).loop));
}

TEST_F(Together, NotByOneOfVeryManyParameters) {
  ir::Function* f = t.function("f", t.types.void_type(), std::vector<const sem::Type*>(40, t.u32()));
  Builder in_f = t.in(f->body);
  const For loop(t, in_f, f->parameters[39]);
  t.b.call(f, std::vector<Value*>(40, t.b.load(limit)));
  EXPECT_FALSE(together(loop.loop, *f));
}

// ---- Functions one after the other

struct OneByOne : ForLoop {
  ir::Function* f = t.function("f", t.types.void_type(), {t.u32()});
  LoopBudget budget{t.module, 0, 9};

  std::string text_of_f() const {
    const std::string text = t.print();
    return text.substr(0, text.find("\nfn main"));
  }
  void first() {
    budget.run(std::vector<ir::Function*>{f});
    EXPECT_EQ(ir::verify(t.module, *f), "");
  }
  void second() {
    t.b.simple(Op::Return);
    budget.run(std::vector<ir::Function*>{t.entry});
    EXPECT_EQ(ir::verify(t.module), "");
  }
};

TEST_F(OneByOne, WeightsAreToldAtTheEnd) {
  Builder in_f = t.in(f->body);
  const For by_parameter(t, in_f, f->parameters[0]);
  const For again(t, in_f, in_f.load(limit));
  const For by_data(t, in_f, in_f.load(data));
  in_f.simple(Op::Return);
  first();
  EXPECT_THAT(text_of_f(), HasSubstr("!LoopWeight 2u"));
  EXPECT_THAT(text_of_f(), Not(HasSubstr("!LoopGroup")));
  EXPECT_THAT(t.module.loop_weights, ::testing::IsEmpty());
  t.b.call(f, {t.b.load(limit)});
  t.b.call(f, {t.b.load(limit)});
  second();
  EXPECT_TRUE(budget.counts());
  // The last loop alone is not run through together, and is entered twice.
  EXPECT_THAT(t.module.loop_weights, ::testing::ElementsAre(1, 1, 2));
}

TEST_F(OneByOne, WhatIsEnteredOftenTakesTheGroup) {
  Builder in_f = t.in(f->body);
  const For loop(t, in_f, f->parameters[0]);
  in_f.simple(Op::Return);
  first();
  For outer(t, t.b, t.b.load(limit));
  outer.body.call(f, {lane});
  second();
  EXPECT_THAT(t.module.loop_weights, ::testing::ElementsAre(ir::Module::kAnyWeight));
}

TEST_F(OneByOne, NothingIsCountedBeforeTheFirstLoopThatCounts) {
  Builder in_f = t.in(f->body);
  const For loop(t, in_f, in_f.u32(10));
  in_f.simple(Op::Return);
  const std::string before = text_of_f();
  first();
  EXPECT_EQ(text_of_f(), before);
  t.b.call(f, {lane});
  const For other(t, t.b, t.b.load(limit));
  second();
  EXPECT_TRUE(budget.counts());
  EXPECT_THAT(t.print(), HasSubstr("trap: "));
}

TEST_F(OneByOne, ABarrierBeforeAllIsKnownIsLeftByTheUniformCounter) {
  Builder in_f = t.in(f->body);
  For loop(t, in_f, in_f.load(limit));
  loop.body.intrinsic(ir::Intrinsic::WorkgroupBarrier, t.types.void_type(), {});
  in_f.simple(Op::Return);
  first();
  EXPECT_THAT(text_of_f(), HasSubstr("uniform_left: ptr<private, u32, read_write>"));
  t.b.call(f, {lane});
  second();
  EXPECT_THAT(t.module.loop_weights, ::testing::IsEmpty());
}

}  // namespace
}  // namespace kem::wgsl::transform
