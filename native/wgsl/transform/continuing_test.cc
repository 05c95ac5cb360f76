#include <gmock/gmock.h>

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

// loop { if data == 1 { continue; } continuing { data = 5; break if data == 1; } }
TEST(Continuing, IsCodeOfTheBodyAfterwards) {
  Loop l;
  l.leave(l.body, Op::Continue);
  auto c = l.continuing();
  c.store(l.data, c.u32(5));
  c.emit(Op::BreakIf, l.t.types.void_type(), {c.binary(BinaryOp::Equal, c.load(l.data), c.u32(1))});
  EXPECT_EQ(change(l.t, [&] { l.continuing_pass(); }), R"(
  loop {
    %0: u32 = load %1
    %2: bool = eq %0, 1u
    if %2 {
      continue
    }
  } continuing {
    store %1, 5u
    %3: u32 = load %1
    %4: bool = eq %3, 1u
    break_if %4
  }
  return
=>
  loop {
    %0: u32 = load %1
    %2: bool = eq %0, 1u
    if %2 {
      store %1, 5u
      %5: u32 = load %1
      %6: bool = eq %5, 1u
      if %6 {
        break
      }
      continue
    }
    store %1, 5u
    %3: u32 = load %1
    %4: bool = eq %3, 1u
    if %4 {
      break
    }
  }
  return
)");
}

TEST(Continuing, IsNotReachedByTheContinueOfAnInnerLoop) {
  Loop l;
  Instruction* inner = l.body.loop();
  Builder body = l.t.in(inner->blocks[0]);
  l.leave(body, Op::Continue);
  body.simple(Op::Break);
  l.body.simple(Op::Break);
  auto c = l.continuing();
  c.store(l.data, c.u32(5));
  l.run();
  EXPECT_EQ(l.count(Op::Store), 0u);
}

}  // namespace
}  // namespace kem::wgsl::transform
