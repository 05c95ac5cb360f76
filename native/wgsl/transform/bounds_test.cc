#include <gmock/gmock.h>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::TestModule;
using ir::Value;
using sem::AddressSpace;
using sem::BuiltinValue;
using ::testing::HasSubstr;
using ::testing::Not;

// The body after the pass of a load of `array[index]`, where `make_index` writes the index.
template <class MakeIndex>
std::string after(const sem::Type* (*type)(TestModule&), MakeIndex make_index) {
  TestModule t;
  auto* v = t.storage(type(t), "data");
  Value* index = make_index(t);
  t.b.store(t.b.access(v, {index}), t.b.load(t.b.access(v, {t.b.u32(0)})));
  t.b.simple(ir::Op::Return);
  EXPECT_EQ(ir::verify(t.module), "");
  bounds(t.module);
  EXPECT_EQ(ir::verify(t.module), "");
  return t.body();
}

const sem::Type* sixteen(TestModule& t) { return t.types.array(t.types.u32(), 16); }
const sem::Type* runtime(TestModule& t) { return t.types.runtime_array(t.types.u32()); }
Value* global_id(TestModule& t) {
  return t.b.member(t.builtin(t.vec(t.u32(), 3), BuiltinValue::GlobalInvocationId, "id"), 0);
}

TEST(Bounds, ClampsADynamicIndexToTheLastElement) {
  EXPECT_THAT(after(sixteen, global_id), HasSubstr("= min %4, 15u"));
}

TEST(Bounds, ReadsANegativeIndexAsAHugeOne) {
  const auto text = after(sixteen, [](TestModule& t) { return t.b.convert(t.i32(), global_id(t)); });
  EXPECT_THAT(text, HasSubstr(": u32 = convert"));
  EXPECT_THAT(text, HasSubstr("= min "));
}

TEST(Bounds, AsksARuntimeSizedArrayForItsLength) {
  const auto text = after(runtime, global_id);
  EXPECT_THAT(text, HasSubstr("array_length %1"));
  EXPECT_THAT(text, HasSubstr("u32 = sub "));
  EXPECT_THAT(text, HasSubstr("= min %4, "));
}

TEST(Bounds, ClampsAConstantIndexOfARuntimeSizedArrayUnlessItIsZero) {
  EXPECT_THAT(after(runtime, [](TestModule& t) { return t.b.u32(3); }), HasSubstr("= min 3u, "));
  EXPECT_THAT(after(runtime, [](TestModule& t) { return t.b.u32(0); }), Not(HasSubstr("min")));
}

TEST(Bounds, LeavesConstantsAlone) {
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.u32(15); }), Not(HasSubstr("min")));
}

TEST(Bounds, LeavesIndicesThatCannotBeOutOfRange) {
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.binary(BinaryOp::And, global_id(t), t.b.u32(15)); }),
              Not(HasSubstr("min")));
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.binary(BinaryOp::Remainder, global_id(t), t.b.u32(16)); }),
              Not(HasSubstr("min")));
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.binary(BinaryOp::ShiftRight, global_id(t), t.b.u32(28)); }),
              Not(HasSubstr("min")));
  EXPECT_THAT(after(sixteen,
                    [](TestModule& t) {
                      t.module.workgroup_size = {4, 4, 1};
                      return static_cast<Value*>(t.builtin(t.u32(), BuiltinValue::LocalInvocationIndex, "local"));
                    }),
              Not(HasSubstr("min")));
}

TEST(Bounds, ClampsWhatMightJustBeOutOfRange) {
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.binary(BinaryOp::And, global_id(t), t.b.u32(16)); }),
              HasSubstr("min"));
  EXPECT_THAT(after(sixteen, [](TestModule& t) { return t.b.binary(BinaryOp::Remainder, global_id(t), t.b.u32(17)); }),
              HasSubstr("min"));
  EXPECT_THAT(after(sixteen,
                    [](TestModule& t) {
                      return t.b.binary(BinaryOp::Remainder, t.b.convert(t.i32(), global_id(t)), t.b.i32(16));
                    }),
              HasSubstr("min"));  // a negative operand has a negative remainder
  EXPECT_THAT(after(sixteen,
                    [](TestModule& t) {
                      t.module.workgroup_size = {17, 1, 1};
                      return static_cast<Value*>(t.builtin(t.u32(), BuiltinValue::LocalInvocationIndex, "local"));
                    }),
              HasSubstr("min"));
}

TEST(Bounds, ClampsEveryStepOfAPath) {
  TestModule t;
  const auto* inner = t.types.array(t.types.mat(t.f32(), 3, 2), 5);
  auto* v = t.storage(t.types.runtime_array(inner), "data");
  Value* i = t.b.member(t.builtin(t.vec(t.u32(), 3), BuiltinValue::GlobalInvocationId, "id"), 0);
  t.b.load(t.b.access(v, {i, i, i, i}));
  t.b.simple(ir::Op::Return);
  bounds(t.module);
  EXPECT_EQ(ir::verify(t.module), "");
  for (const char* last : {", 4u", ", 2u", ", 1u"}) EXPECT_THAT(t.body(), HasSubstr(last));
  EXPECT_THAT(t.body(), HasSubstr("array_length"));
}

}  // namespace
}  // namespace kem::wgsl::transform
