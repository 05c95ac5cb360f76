#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Op;
using ir::TestModule;
using sem::AccessMode;
using sem::AddressSpace;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Unread : ::testing::Test {
  TestModule t;
  ir::Variable* words = t.storage(t.types.runtime_array(t.u32()), "words");
  ir::Variable* one = t.storage(t.u32(), "one");

  std::vector<const ir::Variable*> found() {
    t.b.simple(Op::Return);
    EXPECT_EQ(ir::verify(t.module), "");
    const std::string before = t.print();
    UnreadPass pass(t.module);
    for (const ir::Function* f : t.module.functions) pass.run(*f);
    EXPECT_EQ(t.print(), before);
    return {pass.found().begin(), pass.found().end()};
  }
};

TEST_F(Unread, IsWhatIsOnlyWritten) {
  t.b.store(t.b.access(words, {t.b.u32(3)}), t.b.u32(1));
  t.b.store(one, t.b.u32(1));
  EXPECT_THAT(found(), ElementsAre(words, one));
}

TEST_F(Unread, IsNotWhatIsLoaded) {
  t.b.store(one, t.b.load(t.b.access(words, {t.b.u32(3)})));
  EXPECT_THAT(found(), ElementsAre(one));
}

TEST_F(Unread, IsNotWhatASecondFunctionLoads) {
  ir::Function* f = t.function("f", t.types.void_type(), {});
  ir::Builder in_f = t.in(f->body);
  in_f.load(one);
  in_f.simple(Op::Return);
  t.b.store(one, t.b.u32(1));
  t.b.store(t.b.access(words, {t.b.u32(0)}), t.b.u32(1));
  t.b.call(f, {});
  EXPECT_THAT(found(), ElementsAre(words));
}

TEST_F(Unread, MayBeAskedForItsLengthAndGivesNoIndices) {
  t.b.store(t.b.access(words, {t.b.array_length(words)}), t.b.u32(1));
  t.b.store(t.b.access(words, {t.b.load(one)}), t.b.u32(1));
  EXPECT_THAT(found(), ElementsAre(words));
}

TEST_F(Unread, IsNothingWithAtomicOperations) {
  auto* count = t.storage(t.types.atomic(t.u32()), "count");
  t.b.intrinsic(ir::Intrinsic::AtomicAdd, t.u32(), {count, t.b.u32(1)});
  EXPECT_THAT(found(), ElementsAre(words, one));
}

TEST_F(Unread, IsAStorageBufferThatMayBeWritten) {
  t.variable(AddressSpace::Storage, t.u32(), AccessMode::Read, "input");
  t.variable(AddressSpace::Uniform, t.u32(), AccessMode::Read, "params");
  t.variable(AddressSpace::Workgroup, t.u32(), AccessMode::ReadWrite, "shared_word");
  EXPECT_THAT(found(), ElementsAre(words, one));
}

TEST_F(Unread, IsNothingOfALargeModule) {
  for (int k = 0; k < 1 << 14; ++k) t.b.store(one, t.b.u32(1));
  EXPECT_THAT(found(), IsEmpty());
}

}  // namespace
}  // namespace kem::wgsl::transform
