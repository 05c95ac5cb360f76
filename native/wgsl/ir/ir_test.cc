// The text form and the verifier.
#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"

namespace kem::wgsl::ir {
namespace {

using ast::BinaryOp;
using ::testing::HasSubstr;

TEST(Module, MakesAgainWhatIsTakenBack) {
  TestModule t;
  t.module.keep();
  const uint32_t first_id = t.module.id_bound();
  IdTable<int> table(t.module);
  Block* block = t.module.block();
  Instruction* load = t.module.instruction(Op::Load, t.u32(), {t.b.u32(1)});
  load->forwarded = true;
  block->instructions.push_back(load);
  table.fit();
  table[load] = 7;
  EXPECT_EQ(t.module.instruction_count(), 1u);

  t.module.take_back(1);
  EXPECT_EQ(t.module.id_bound(), first_id);
  EXPECT_EQ(t.module.block(), block);
  EXPECT_TRUE(block->instructions.empty());
  t.b.u32(2);  // the constant's id
  Instruction* again = t.module.instruction(Op::Return, t.types.void_type(), {});
  EXPECT_EQ(again, load);
  EXPECT_FALSE(again->forwarded);
  EXPECT_TRUE(again->operands.empty());
  EXPECT_EQ(t.module.instruction_count(), 2u);
  table.fit();
  EXPECT_EQ(table[again], 0);
}

TEST(Print, ShowsValuesBlocksAndCases) {
  TestModule t;
  auto* data = t.storage(t.types.runtime_array(t.u32()), "data");
  auto* id = t.builtin(t.vec(t.u32(), 3), sem::BuiltinValue::GlobalInvocationId, "id");
  Value* x = t.b.member(id, 0);
  Instruction* branch = t.b.if_(t.b.binary(BinaryOp::Less, x, t.b.u32(4)), true);
  Builder then = t.in(branch->blocks[0]);
  Value* place = then.access(data, {x});
  then.store(place, then.u32(1));
  t.in(branch->blocks[1]).simple(Op::Return);
  Instruction* s = t.b.emit(Op::Switch, t.types.void_type(), {x});
  s->cases.push_back({{t.b.u32(3)->value}, true, t.module.block()});
  t.b.simple(Op::Return);
  EXPECT_EQ(verify(t.module), "");
  EXPECT_EQ(t.print(), R"(var %1 data: ptr<storage, array<u32>, read_write> @group(0) @binding(0)
fn %0 main(%2 id: vec3<u32> @builtin(global_invocation_id)) @workgroup_size(1, 1, 1) {
  %4: u32 = access %2, 0u
  %6: bool = lt %4, 4u
  if %6 {
    %8: ptr<storage, u32, read_write> = access %1, %4
    store %8, 1u
  } else {
    return
  }
  switch %4 {
    case 3u, default {
    }
  }
  return
}
)");
}

TEST(Verify, RefusesAnOperandThatIsNotVisible) {
  TestModule t;
  Instruction* branch = t.b.if_(constant_bool(t.module, true));
  Value* inner = t.in(branch->blocks[0]).convert(t.u32(), t.b.i32(1));
  t.b.unary(ast::UnaryOp::Complement, inner);
  EXPECT_THAT(verify(t.module), HasSubstr("is not visible"));
}

TEST(Verify, RefusesWhatFollowsABlocksEnd) {
  TestModule t;
  t.b.simple(Op::Return);
  t.b.simple(Op::Return);
  EXPECT_THAT(verify(t.module), HasSubstr("follows the block's end"));
}

TEST(Verify, RefusesBreakAndContinueOutsideLoops) {
  TestModule t;
  t.b.simple(Op::Break);
  EXPECT_THAT(verify(t.module), HasSubstr("break outside"));
  TestModule u;
  u.b.simple(Op::Continue);
  EXPECT_THAT(verify(u.module), HasSubstr("continue outside"));
}

TEST(Verify, RefusesTypesThatDiffer) {
  TestModule t;
  auto* x = t.b.var(t.u32(), nullptr, "x");
  t.b.store(x, t.b.i32(1));
  EXPECT_THAT(verify(t.module), HasSubstr("stored type differs"));
}

TEST(Verify, RefusesACalleeThatComesLater) {
  TestModule t;
  auto* f = t.function("f", t.types.void_type(), {});
  t.in(f->body).simple(Op::Return);
  t.b.call(f, {});
  t.b.simple(Op::Return);
  EXPECT_EQ(verify(t.module), "");
  std::swap(t.module.functions[0], t.module.functions[1]);
  EXPECT_NE(verify(t.module), "");
}

TEST(Verify, LetsAContinuingBlockUseTheBodysValues) {
  TestModule t;
  Instruction* loop = t.b.loop();
  Value* x = t.in(loop->blocks[0]).convert(t.u32(), t.b.i32(1));
  loop->blocks[1] = t.module.block();
  t.in(loop->blocks[1]).unary(ast::UnaryOp::Complement, x);
  t.b.simple(Op::Return);
  EXPECT_EQ(verify(t.module), "");
}

}  // namespace
}  // namespace kem::wgsl::ir
