#include <gmock/gmock.h>

#include "wgsl/transform/testing.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Op;
using ir::TestModule;
using sem::AccessMode;
using sem::AddressSpace;

// The message of the first error, or nothing.
std::string first_error(TestModule& t) {
  t.b.simple(Op::Return);
  EXPECT_EQ(ir::verify(t.module), "");
  Diagnostics diagnostics;
  limits(t.module, diagnostics);
  return diagnostics.has_errors() ? diagnostics.all().front().message : "";
}

// A function of `operations` operations.
ir::Function* function_of(TestModule& t, std::string_view name, size_t operations) {
  ir::Function* f = t.function(name, t.types.void_type(), {});
  ir::Builder b = t.in(f->body);
  for (size_t k = 1; k < operations; ++k) b.unary(ast::UnaryOp::Complement, b.u32(1));
  b.simple(Op::Return);
  return f;
}

// A function that calls another `times` times.
ir::Function* caller_of(TestModule& t, std::string_view name, ir::Function* callee, size_t times) {
  ir::Function* f = t.function(name, t.types.void_type(), {});
  ir::Builder b = t.in(f->body);
  for (size_t k = 0; k < times; ++k) b.call(callee, {});
  b.simple(Op::Return);
  return f;
}

TEST(Limits, OfOperationsCountCallsAsWhatTheyCall) {
  for (const uint64_t more : {0, 1}) {
    TestModule t;
    // The entry point: 127 calls, each one operation and 1023 of the callee; what is missing; the return.
    ir::Function* f = function_of(t, "f", 1023);
    for (int k = 0; k < 127; ++k) t.b.call(f, {});
    for (uint64_t k = 127 * 1024 + 1; k < kMaxInlinedInstructions + more; ++k)
      t.b.unary(ast::UnaryOp::Complement, t.b.u32(1));
    EXPECT_EQ(first_error(t),
              more == 0 ? "" : "with its calls inlined, function 'main' has more than 131072 operations");
  }
}

TEST(Limits, OfOperationsCountCopiesByScalars) {
  for (const AddressSpace space : {AddressSpace::Storage, AddressSpace::Uniform, AddressSpace::Workgroup}) {
    TestModule t;
    const auto* type = t.types.array(t.types.vec(t.u32(), 4), 1024);
    auto* memory = t.variable(space, type, AccessMode::ReadWrite, "memory");
    for (int k = 0; k < 32; ++k) t.b.load(memory);
    EXPECT_EQ(first_error(t), "with its calls inlined, function 'main' has more than 131072 operations");
  }
}

TEST(Limits, FindWhatDoublesAtEachCall) {
  TestModule t;
  ir::Function* f = function_of(t, "small", 2);
  for (int k = 1; k < 15; ++k) f = caller_of(t, "small", f, 2);
  // The kth function has 5 * 2^k - 3 operations.
  for (int k = 15; k < 40; ++k) f = caller_of(t, k == 15 ? "large" : "larger", f, 2);
  t.b.call(f, {});
  EXPECT_EQ(first_error(t), "with its calls inlined, function 'large' has more than 131072 operations");
}

TEST(Limits, OfAllFunctionsTogether) {
  for (const int calls : {7, 8}) {
    TestModule t;
    // Each function has a little more than 65,536 operations: its own and those of the one before it.
    ir::Function* f = function_of(t, "f", 65'536);
    for (int k = 1; k < calls; ++k) f = caller_of(t, "g", f, 1);
    EXPECT_EQ(first_error(t), calls == 7 ? ""
                                         : "with the calls of each inlined, the functions up to 'g' have together more "
                                           "than 524288 operations");
  }
}

TEST(Limits, OfVariablesCountThoseOfCallsAndPrivateOnes) {
  for (const uint32_t words : {16'384u, 16'385u}) {
    TestModule t;
    ir::Function* f = t.function("f", t.types.void_type(), {});
    ir::Builder b = t.in(f->body);
    b.var(t.types.array(t.u32(), 16'384), nullptr, "v");
    b.simple(Op::Return);
    t.variable(AddressSpace::Private, t.types.array(t.u32(), 16'384), AccessMode::ReadWrite, "p");
    t.variable(AddressSpace::Workgroup, t.types.array(t.u32(), 16'384), AccessMode::ReadWrite, "w");
    t.b.call(f, {});
    t.b.call(f, {});
    t.b.var(t.types.array(t.u32(), words), nullptr, "own");
    EXPECT_EQ(first_error(t), words == 16'384 ? ""
                                              : "with its calls inlined, function 'main' has more than 262144 bytes of "
                                                "variables");
  }
}

TEST(Limits, OfOneValuesComponents) {
  for (const uint32_t count : {65'532u, 65'533u}) {
    TestModule t;
    const auto* type = t.types.array(t.types.bool_type(), count);
    t.b.load(t.variable(AddressSpace::Workgroup, type, AccessMode::ReadWrite, "w"));
    EXPECT_EQ(first_error(t),
              count == 65'532 ? "" : "a value of type 'array<bool, 65533>' has more than 65532 components");
  }
}

TEST(Limits, OfOneConstantsComponents) {
  TestModule t;
  const auto* type = t.types.array(t.u32(), 65'533);
  t.b.store(t.variable(AddressSpace::Workgroup, type, AccessMode::ReadWrite, "w"), ir::constant_zero(t.module, type));
  EXPECT_EQ(first_error(t), "a value of type 'array<u32, 65533>' has more than 65532 components");
}

}  // namespace
}  // namespace kem::wgsl::transform
