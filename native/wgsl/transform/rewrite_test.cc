#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::TestModule;
using ir::Value;

struct Rewrite : ::testing::Test {
  TestModule t;
  ir::Variable* x = t.storage(t.u32(), "x");
  std::string run(Ops ops, const Visitor& visit) { return change(t, Rewriter(t.module, ops, visit)); }
};

TEST_F(Rewrite, PutsAValueInThePlaceOfAnother) {
  Value* sum = t.b.binary(BinaryOp::Add, t.b.load(x), t.b.u32(1));
  Instruction* branch = t.b.if_(t.b.binary(BinaryOp::Equal, sum, t.b.u32(3)));
  t.in(branch->blocks[0]).store(x, sum);
  EXPECT_EQ(run(Ops(Op::Binary),
                [](Builder& b, Instruction& i) -> Rewritten {
                  if (i.binary != BinaryOp::Add) return std::nullopt;
                  return b.binary(BinaryOp::Subtract, i.operands[0], b.u32(0xffffffff));
                }),
            R"(
  %0: u32 = load %1
  %2: u32 = add %0, 1u
  %3: bool = eq %2, 3u
  if %3 {
    store %1, %2
  }
  return
=>
  %0: u32 = load %1
  %4: u32 = sub %0, 4294967295u
  %3: bool = eq %4, 3u
  if %3 {
    store %1, %4
  }
  return
)");
}

TEST_F(Rewrite, DropsAndWritesBefore) {
  t.b.store(x, t.b.u32(1));
  t.b.store(x, t.b.u32(2));
  EXPECT_EQ(run(Ops(Op::Store),
                [this](Builder& b, Instruction& i) -> Rewritten {
                  if (ir::constant_integer(i.operands[1]) == 1) return nullptr;
                  b.store(x, b.u32(3));
                  return std::nullopt;
                }),
            R"(
  store %0, 1u
  store %0, 2u
  return
=>
  store %0, 3u
  store %0, 2u
  return
)");
}

TEST_F(Rewrite, ShowsOperandsThatAreAlreadyRewritten) {
  Value* a = t.b.unary(ast::UnaryOp::Complement, t.b.u32(1));
  t.b.unary(ast::UnaryOp::Complement, a);
  std::vector<const Value*> seen;
  run(Ops(Op::Unary), [&](Builder& b, Instruction& i) -> Rewritten {
    seen.push_back(i.operands[0]);
    return b.u32(7);
  });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(ir::constant_integer(seen[1]), 7);
}

TEST_F(Rewrite, RepeatsABlock) {
  EXPECT_EQ(change(t,
                   [this] {
                     t.entry->body->instructions.clear();
                     repeat(t.b, 5, [this](Builder& b, Value* i) { b.store(x, i); });
                     t.b.simple(Op::Return);
                   }),
            R"(
  return
=>
  %0 index: ptr<function, u32, read_write> = var 0u
  loop {
    %1: u32 = load %0
    %2: bool = ge %1, 5u
    if %2 {
      break
    }
    store %3, %1
    %4: u32 = add %1, 1u
    store %0, %4
  }
  return
)");
}

TEST_F(Rewrite, ClonesBlocksWithTheirOwnValues) {
  Value* loaded = t.b.load(x);
  Instruction* branch = t.b.if_(t.b.binary(BinaryOp::Equal, loaded, t.b.u32(3)), true);
  t.in(branch->blocks[0]).store(x, loaded);
  EXPECT_EQ(change(t,
                   [this] {
                     Instruction* const end = t.entry->body->instructions.back();
                     t.entry->body->instructions.pop_back();
                     ir::Block copied;
                     Cloner(t.module).copy_into(copied, *t.entry->body);
                     for (Instruction* i : copied.instructions) t.entry->body->instructions.push_back(i);
                     t.entry->body->instructions.push_back(end);
                   }),
            R"(
  %0: u32 = load %1
  %2: bool = eq %0, 3u
  if %2 {
    store %1, %0
  } else {
  }
  return
=>
  %0: u32 = load %1
  %2: bool = eq %0, 3u
  if %2 {
    store %1, %0
  } else {
  }
  %3: u32 = load %1
  %4: bool = eq %3, 3u
  if %4 {
    store %1, %3
  } else {
  }
  return
)");
}

}  // namespace
}  // namespace kem::wgsl::transform
