#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Op;
using ir::TestModule;
using ir::Value;
using sem::AccessMode;
using sem::AddressSpace;
using ::testing::HasSubstr;
using ::testing::Not;

// fn set(p) { *p = 7 } with p of type ptr<space, u32>.
ir::Function* setter(TestModule& t, AddressSpace space) {
  auto* f = t.function("set", t.types.void_type(), {t.types.pointer(space, t.u32(), AccessMode::ReadWrite)});
  auto b = t.in(f->body);
  b.store(f->parameters[0], b.u32(7));
  b.simple(Op::Return);
  return f;
}

std::string run(TestModule& t) {
  t.b.simple(Op::Return);
  EXPECT_EQ(ir::verify(t.module), "");
  Diagnostics diagnostics;
  pointers(t.module, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_EQ(ir::verify(t.module), "");
  return t.print();
}

TEST(Pointers, KeepsFunctionSpaceParameters) {
  TestModule t;
  auto* f = setter(t, AddressSpace::Function);
  t.b.call(f, {t.b.var(t.u32(), nullptr, "x")});
  EXPECT_THAT(run(t), HasSubstr("p: ptr<function, u32, read_write>"));
}

TEST(Pointers, CopiesACalleeForEachVariable) {
  TestModule t;
  auto* f = setter(t, AddressSpace::Private);
  auto* x = t.variable(AddressSpace::Private, t.u32(), AccessMode::ReadWrite, "x");
  auto* y = t.variable(AddressSpace::Private, t.u32(), AccessMode::ReadWrite, "y");
  t.b.call(f, {x});
  t.b.call(f, {y});
  t.b.call(f, {x});
  run(t);
  ASSERT_EQ(t.module.functions.size(), 3u);  // one each for x and y
  EXPECT_TRUE(t.module.functions[0]->parameters.empty());
  EXPECT_THAT(t.print(), HasSubstr("store %" + std::to_string(x->id) + ", 7u"));
  EXPECT_THAT(t.print(), HasSubstr("store %" + std::to_string(y->id) + ", 7u"));
}

TEST(Pointers, PassesIndicesAndBakesMembersIn) {
  TestModule t;
  auto* f = setter(t, AddressSpace::Storage);
  const auto* s =
      t.structure("S", {TestModule::member("a", t.u32()), TestModule::member("b", t.types.array(t.u32(), 4))});
  auto* v = t.storage(t.types.array(s, 8), "data");
  Value* i = t.b.load(t.b.var(t.u32(), nullptr, "i"));
  t.b.call(f, {t.b.access(v, {i, t.b.u32(1), i})});
  t.b.call(f, {t.b.access(v, {i, t.b.u32(1), t.b.u32(2)})});  // the same path, other indices
  t.b.call(f, {t.b.access(v, {i, t.b.u32(0)})});
  run(t);
  ASSERT_EQ(t.module.functions.size(), 3u);
  EXPECT_EQ(t.module.functions[0]->parameters.size(), 2u);
  EXPECT_EQ(t.module.functions[1]->parameters.size(), 1u);
}

TEST(Pointers, FollowsPointersThroughCalls) {
  TestModule t;
  auto* inner = setter(t, AddressSpace::Workgroup);
  auto* outer =
      t.function("outer", t.types.void_type(),
                 {t.types.pointer(AddressSpace::Workgroup, t.types.array(t.u32(), 4), AccessMode::ReadWrite)});
  auto b = t.in(outer->body);
  b.call(inner, {b.access(outer->parameters[0], {b.u32(3)})});
  b.simple(Op::Return);
  auto* v = t.variable(AddressSpace::Workgroup, t.types.array(t.u32(), 4), AccessMode::ReadWrite, "shared_data");
  t.b.call(outer, {v});
  EXPECT_THAT(run(t), Not(HasSubstr("p: ptr")));
  EXPECT_THAT(t.print(), HasSubstr("access %" + std::to_string(v->id)));
}

TEST(Pointers, RefusesTooManyCopies) {
  TestModule t;
  auto* f = setter(t, AddressSpace::Private);
  for (size_t k = 0; k <= kMaxSpecializations; ++k) {
    t.b.call(f, {t.variable(AddressSpace::Private, t.u32(), AccessMode::ReadWrite, "x")});
  }
  t.b.simple(Op::Return);
  Diagnostics diagnostics;
  pointers(t.module, diagnostics);
  EXPECT_TRUE(diagnostics.has_errors());
}

}  // namespace
}  // namespace kem::wgsl::transform
