#include <gmock/gmock.h>

#include "wgsl/transform/loop_testing.h"
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

struct LoopExits : LimitedBy {
  Instruction* i = t.b.var(t.u32(), t.b.u32(8), "i");
  Instruction* loop = t.b.loop();
  Builder body = t.in(loop->blocks[0]);

  void step() { body.store(i, body.binary(BinaryOp::Subtract, body.load(i), body.u32(1))); }
  void leave_if(Value* condition, Op op = Op::Break) { t.in(body.if_(condition)->blocks[0]).simple(op); }
  std::string run() {
    return change(t, [this] {
      for (ir::Function* f : t.module.functions) loop_exits(t.module, *f);
    });
  }
  // Whether anything was hidden.
  bool hides() { return run().find("!DispatchZero") != std::string::npos; }
};

TEST_F(LoopExits, HideWhatAStepIsComparedWith) {
  step();
  leave_if(body.binary(BinaryOp::Greater, body.load(i), body.u32(7)));
  EXPECT_EQ(run(), R"(
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %1
    %5: bool = gt %4, 7u
    if %5 {
      break
    }
  }
  return
=>
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %1
    %6: u32 = !DispatchZero
    %7: u32 = add 7u, %6
    %5: bool = gt %4, %7
    if %5 {
      break
    }
  }
  return
)");
}

TEST_F(LoopExits, HideTheOtherSideToo) {
  step();
  Value* most = body.load(limit);
  leave_if(body.binary(BinaryOp::Less, most, body.load(i)));
  EXPECT_EQ(run(), R"(
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %5
    %6: u32 = load %1
    %7: bool = lt %4, %6
    if %7 {
      break
    }
  }
  return
=>
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %5
    %6: u32 = load %1
    %8: u32 = !DispatchZero
    %9: u32 = add %4, %8
    %7: bool = lt %9, %6
    if %7 {
      break
    }
  }
  return
)");
}

TEST_F(LoopExits, HideSignedNumbersBehindASignedZero) {
  step();
  leave_if(body.binary(BinaryOp::Greater, body.convert(t.i32(), body.load(i)), body.i32(7)));
  EXPECT_EQ(run(), R"(
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %1
    %5: i32 = convert %4
    %6: bool = gt %5, 7i
    if %6 {
      break
    }
  }
  return
=>
  %0: u32 = !LocalInvocationIndex
  %1 i: ptr<function, u32, read_write> = var 8u
  loop {
    %2: u32 = load %1
    %3: u32 = sub %2, 1u
    store %1, %3
    %4: u32 = load %1
    %5: i32 = convert %4
    %7: u32 = !DispatchZero
    %8: i32 = convert %7
    %9: i32 = add 7i, %8
    %6: bool = gt %5, %9
    if %6 {
      break
    }
  }
  return
)");
}

TEST_F(LoopExits, HideInEveryPartOfACondition) {
  step();
  Value* stepped = body.binary(BinaryOp::Greater, body.load(i), body.u32(7));
  Value* other = body.binary(BinaryOp::Equal, body.load(data), body.u32(1));
  leave_if(body.unary(ast::UnaryOp::Not, body.binary(BinaryOp::LogicalOr, other, stepped)), Op::Return);
  EXPECT_THAT(run(), HasSubstr("= add 7u, %"));
}

// j = i - 1; if j > 7 { break; } i = j;
TEST_F(LoopExits, HideBehindAStepThatIsNotYetStored) {
  Value* next = body.binary(BinaryOp::Subtract, body.load(i), body.u32(1));
  leave_if(body.binary(BinaryOp::Greater, next, body.u32(7)));
  body.store(i, next);
  EXPECT_TRUE(hides());
}

TEST_F(LoopExits, HideBehindACallThatMayStep) {
  ir::Function* f = t.function("f", t.types.void_type(), {});
  t.in(f->body).simple(Op::Return);
  body.call(f, {});
  leave_if(body.binary(BinaryOp::Greater, body.load(i), body.u32(7)));
  EXPECT_TRUE(hides());
}

TEST_F(LoopExits, HideNothingInFrontOfTheStep) {
  leave_if(body.binary(BinaryOp::Greater, body.load(i), body.u32(7)));
  step();
  EXPECT_FALSE(hides());
}

TEST_F(LoopExits, HideNothingOfWhatOthersMayWrite) {
  step();
  body.store(data, body.u32(3));
  leave_if(body.binary(BinaryOp::Equal, body.load(data), body.u32(7)));
  EXPECT_FALSE(hides());
}

TEST_F(LoopExits, HideNothingWhereNoLoopIsLeft) {
  step();
  Instruction* branch = body.if_(body.binary(BinaryOp::Greater, body.load(i), body.u32(7)));
  t.in(branch->blocks[0]).store(data, t.b.u32(1));
  body.simple(Op::Break);
  EXPECT_FALSE(hides());
}

TEST_F(LoopExits, HideNothingOutsideOfLoops) {
  body.simple(Op::Break);
  t.b.store(i, t.b.u32(1));
  t.in(t.b.if_(t.b.binary(BinaryOp::Greater, t.b.load(i), t.b.u32(7)))->blocks[0]).simple(Op::Return);
  EXPECT_FALSE(hides());
}

}  // namespace
}  // namespace kem::wgsl::transform
