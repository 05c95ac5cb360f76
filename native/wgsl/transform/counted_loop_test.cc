#include "wgsl/transform/counted_loop.h"

#include <gmock/gmock.h>

#include "wgsl/transform/loop_testing.h"
#include "wgsl/transform/testing.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::TestModule;
using ir::Value;

std::optional<CountedLoop> counted_loop(const TestModule& t, size_t index) {
  return CountedLoops(t.module).find(*t.entry->body, index);
}

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

}  // namespace
}  // namespace kem::wgsl::transform
