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
using sem::Builtin;

TEST(FunctionPasses, OperationsAreBuiltinsArithmeticZeroValuesAndHostLayout) {
  TestModule t;
  const auto* s = t.structure("S", {TestModule::member("a", t.i32(), 0, 16), TestModule::member("b", t.i32())});
  Value* x = t.b.load(t.b.var(t.i32(), nullptr, "v"));
  Value* quotient = t.b.binary(BinaryOp::Divide, x, x);
  Value* whole = t.b.builtin(Builtin::Clamp, t.i32(), {quotient, t.b.i32(0), t.b.i32(9)});
  t.b.store(t.storage(s, "out"), t.b.construct(s, {whole, x}));
  EXPECT_EQ(change(t, [&] { FunctionPasses(t.module, false, false).operations(t.module.functions); }), R"(
  %0 v: ptr<function, i32, read_write> = var
  %1: i32 = load %0
  %2: i32 = div %1, %1
  %3: i32 = clamp %2, 0i, 9i
  %4: S = construct %3, %1
  store %5, %4
  return
=>
  %0 v: ptr<function, i32, read_write> = var 0i
  %1: i32 = load %0
  %6: i32 = !Divide %1, %1
  %7: i32 = !Max %6, 0i
  %8: i32 = !Min %7, 9i
  %4: S = construct %8, %1
  %9: ptr<storage, i32, read_write> = access %5, 0u
  %10: i32 = access %4, 0u
  store %9, %10
  %11: ptr<storage, i32, read_write> = access %5, 1u
  %12: i32 = access %4, 1u
  store %11, %12
  return
)");
}

TEST(FunctionPasses, ZeroLargeVariablesAsTheyAreTold) {
  for (const bool by_loops : {false, true}) {
    TestModule t;
    t.b.var(t.types.array(t.u32(), 64), nullptr, "v");
    const std::string text =
        change(t, [&] { FunctionPasses(t.module, by_loops, false).operations(t.module.functions); });
    EXPECT_EQ(text.find("loop") != std::string::npos, by_loops);
  }
}

// loop { i -= 1; continuing { break if i > 7; } }: the exit is known when the continuing block is in the body.
std::string last(bool hide_loop_exits) {
  TestModule t;
  Instruction* i = t.b.var(t.u32(), t.b.u32(8), "i");
  Instruction* loop = t.b.loop();
  Builder body = t.in(loop->blocks[0]);
  body.store(i, body.binary(BinaryOp::Subtract, body.load(i), body.u32(1)));
  Builder continuing = t.in(loop->blocks[1] = t.module.block());
  continuing.emit(Op::BreakIf, t.types.void_type(),
                  {continuing.binary(BinaryOp::Greater, continuing.load(i), continuing.u32(7))});
  return change(t, [&] { FunctionPasses(t.module, false, hide_loop_exits).last(t.module.functions); });
}

TEST(FunctionPasses, LastAreContinuingLoopExitsAndForward) {
  EXPECT_EQ(last(true), R"(
  %0 i: ptr<function, u32, read_write> = var 8u
  loop {
    %1: u32 = load %0
    %2: u32 = sub %1, 1u
    store %0, %2
  } continuing {
    %3: u32 = load %0
    %4: bool = gt %3, 7u
    break_if %4
  }
  return
=>
  %0 i: ptr<function, u32, read_write> = var 8u
  loop {
    %1: u32 = load %0 @forwarded
    %2: u32 = sub %1, 1u @forwarded
    store %0, %2
    %3: u32 = load %0 @forwarded
    %5: u32 = !DispatchZero @forwarded
    %6: u32 = add 7u, %5 @forwarded
    %4: bool = gt %3, %6 @forwarded
    if %4 {
      break
    }
  }
  return
)");
}

TEST(FunctionPasses, LeaveLoopExitsToDriversThatReadThem) {
  EXPECT_EQ(last(false), R"(
  %0 i: ptr<function, u32, read_write> = var 8u
  loop {
    %1: u32 = load %0
    %2: u32 = sub %1, 1u
    store %0, %2
  } continuing {
    %3: u32 = load %0
    %4: bool = gt %3, 7u
    break_if %4
  }
  return
=>
  %0 i: ptr<function, u32, read_write> = var 8u
  loop {
    %1: u32 = load %0 @forwarded
    %2: u32 = sub %1, 1u @forwarded
    store %0, %2
    %3: u32 = load %0 @forwarded
    %4: bool = gt %3, 7u @forwarded
    if %4 {
      break
    }
  }
  return
)");
}

TEST(FunctionPasses, TakeSomeFunctionsAtATime) {
  TestModule t;
  ir::Function* f = t.function("f", t.i32(), {t.i32()});
  Builder b = t.in(f->body);
  b.emit(Op::Return, t.types.void_type(), {b.binary(BinaryOp::Divide, f->parameters[0], f->parameters[0])});
  t.b.store(t.storage(t.i32(), "x"), t.b.call(f, {t.b.i32(1)}));
  t.b.simple(Op::Return);
  FunctionPasses passes(t.module, false, false);
  for (ir::Function* each : std::vector<ir::Function*>(t.module.functions)) {
    passes.operations(std::span(&each, 1));
    passes.last(std::span(&each, 1));
  }
  EXPECT_EQ(renumbered("\n" + t.print()), R"(
var %0 x: ptr<storage, i32, read_write> @group(0) @binding(0)
fn %1 f(%2 p: i32) -> i32 {
  %3: i32 = !Divide %2, %2 @forwarded
  return %3
}
fn %4 main() @workgroup_size(1, 1, 1) {
  %5: i32 = call %1 f 1i @forwarded
  store %0, %5
  return
}
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
