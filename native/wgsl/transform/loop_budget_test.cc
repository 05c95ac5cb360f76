#include <gmock/gmock.h>

#include "wgsl/transform/loop_testing.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/testing.h"
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

bool loop_budget(ir::Module& module) {
  LoopBudget budget(module, 0, 9);
  budget.run(module.functions);
  return budget.counts();
}

struct ForLoop : LimitedBy {
  bool run() {
    t.b.simple(Op::Return);
    EXPECT_EQ(ir::verify(t.module), "");
    const bool counts = loop_budget(t.module);
    EXPECT_EQ(ir::verify(t.module), "");
    return counts;
  }
};

// loop {}
TEST_F(ForLoop, WithoutAnEndCountsEachTimeAndSetsTheTrap) {
  t.b.loop();
  EXPECT_TRUE(run());
  EXPECT_THAT(t.print(), HasSubstr("trap: ptr<storage, atomic<u32>, read_write> @group(0) @binding(9)"));
  EXPECT_THAT(t.body(), HasSubstr("!LoopBudget"));
  EXPECT_THAT(t.body(), Not(HasSubstr("!LoopGroup")));
  EXPECT_LT(t.body().find("break"), t.body().find("!AtomicStore"));  // in the loop, behind it
  size_t breaks = 0;
  for_each(t.entry->body, [&](const Instruction& i) { breaks += i.op == Op::Break; });
  EXPECT_EQ(breaks, 1u);
}

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

TEST_F(ForLoop, TakesItsIterationsBeforeItBegins) {
  const For loop(t, t.b, t.b.load(limit));
  t.b.store(data, t.b.load(loop.variable));
  EXPECT_EQ(change(t, [&] { loop_budget(t.module); }), R"(
  %0: u32 = !LocalInvocationIndex
  %1: u32 = load %2
  %3 i: ptr<function, u32, read_write> = var 0u
  loop {
    %4: u32 = load %3
    %5: bool = lt %4, %1
    %6: bool = not %5
    if %6 {
      break
    }
  } continuing {
    %7: u32 = load %3
    %8: u32 = add %7, 1u
    store %3, %8
  }
  %9: u32 = load %3
  store %10, %9
  return
=>
  %11: u32 = !LoopBudget
  store %12, %11
  %0: u32 = !LocalInvocationIndex
  %1: u32 = load %2
  %3 i: ptr<function, u32, read_write> = var 0u
  %13: u32 = div 4294967295u, 1u
  %14: u32 = load %3
  %15: u32 = sub %1, %14
  %16: bool = lt %14, %1
  %17: u32 = sub %15, 1u
  %18: u32 = add %17, 1u
  %19: u32 = !Ternary %16, %18, 0u
  %20: u32 = !Min %19, 4294967294u
  %21: u32 = add %20, 1u
  %22: u32 = !Min %21, %13
  %23: u32 = mul %22, 1u
  %24: u32 = load %12
  %25: u32 = !Min %24, %23
  %26: u32 = sub %24, %25
  store %12, %26
  %27: u32 = load %12
  %28: bool = ne %27, 0u
  if %28 {
    loop {
      %4: u32 = load %3
      %5: bool = lt %4, %1
      %6: bool = not %5
      if %6 {
        break
      }
    } continuing {
      %7: u32 = load %3
      %8: u32 = add %7, 1u
      store %3, %8
    }
  }
  %9: u32 = load %3
  store %10, %9
  %29: u32 = load %12
  %30: bool = eq %29, 0u
  if %30 {
    !AtomicStore %31, 1u
  }
  return
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
