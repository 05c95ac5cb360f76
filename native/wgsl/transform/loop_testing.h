// For tests: loops that count.
#pragma once

#include <gtest/gtest.h>

#include "wgsl/ir/testing.h"

namespace kem::wgsl::transform {

// for (var i = 0; i < limit; i++) {}
struct For {
  ir::TestModule& t;
  ir::Instruction* variable;
  ir::Instruction* loop;
  ir::Builder body;

  For(ir::TestModule& module, ir::Builder& b, ir::Value* limit, ir::Value* step = nullptr)
      : t(module), variable(b.var(t.u32(), b.u32(0), "i")), loop(b.loop()), body(t.in(loop->blocks[0])) {
    ir::Value* stays = body.binary(ast::BinaryOp::Less, body.load(variable), limit);
    t.in(body.if_(body.unary(ast::UnaryOp::Not, stays))->blocks[0]).simple(ir::Op::Break);
    ir::Builder continuing = t.in(loop->blocks[1] = t.module.block());
    ir::Value* next = continuing.binary(ast::BinaryOp::Add, continuing.load(variable), step ? step : continuing.u32(1));
    continuing.store(variable, next);
  }
};

// What loops count to: a number that is the same in all invocations, one that other invocations may write, and one that
// differs.
struct LimitedBy : ::testing::Test {
  ir::TestModule t;
  ir::Variable* limit = t.variable(sem::AddressSpace::Uniform, t.u32(), sem::AccessMode::Read, "limit");
  ir::Variable* data = t.storage(t.u32(), "data");
  ir::Value* lane = t.b.intrinsic(ir::Intrinsic::LocalInvocationIndex, t.u32(), {});
};

}  // namespace kem::wgsl::transform
