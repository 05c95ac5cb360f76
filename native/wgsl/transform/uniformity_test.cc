#include "wgsl/transform/uniformity.h"

#include <gmock/gmock.h>

#include "wgsl/transform/loop_testing.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;

struct Together : LimitedBy {
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

}  // namespace
}  // namespace kem::wgsl::transform
