#include "wgsl/sem/overload.h"

#include <gtest/gtest.h>

#include "wgsl/sem/builtin_table.h"

namespace kem::wgsl::sem {
namespace {

// Spec "Conversion Rank".
TEST(ConversionRank, Table) {
  TypeTable t;
  EXPECT_EQ(conversion_rank(t.f32(), t.f32()), 0u);
  EXPECT_EQ(conversion_rank(t.abstract_float(), t.f32()), 1u);
  EXPECT_EQ(conversion_rank(t.abstract_float(), t.f16()), 2u);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.i32()), 3u);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.u32()), 4u);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.abstract_float()), 5u);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.f32()), 6u);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.f16()), 7u);
  EXPECT_EQ(conversion_rank(t.i32(), t.u32()), std::nullopt);
  EXPECT_EQ(conversion_rank(t.abstract_float(), t.i32()), std::nullopt);
  EXPECT_EQ(conversion_rank(t.abstract_int(), t.bool_type()), std::nullopt);
  EXPECT_EQ(conversion_rank(t.vec(t.abstract_int(), 2), t.vec(t.u32(), 2)), 4u);
  EXPECT_EQ(conversion_rank(t.vec(t.abstract_int(), 2), t.vec(t.u32(), 3)), std::nullopt);
  EXPECT_EQ(conversion_rank(t.mat(t.abstract_float(), 2, 3), t.mat(t.f16(), 2, 3)), 2u);
  EXPECT_EQ(conversion_rank(t.array(t.abstract_int(), 4), t.array(t.f32(), 4)), 6u);
  EXPECT_EQ(conversion_rank(t.array(t.abstract_int(), 4), t.array(t.f32(), 5)), std::nullopt);
  EXPECT_EQ(conversion_rank(t.frexp_result(t.abstract_float()), t.frexp_result(t.f32())), 1u);
  EXPECT_EQ(conversion_rank(t.frexp_result(t.abstract_float()), t.modf_result(t.f32())), std::nullopt);
}

TEST(Overload, ElementsOfTheNotation) {
  TypeTable t;
  const auto rows = parse_overloads("f", "S:float I:fint | W<S>, !0..3 I [, vec2<u32>] -> vec4<S>");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].parameters.size(), 2u);
  EXPECT_EQ(rows[1].parameters.size(), 3u);
  EXPECT_TRUE(rows[0].parameters[1].rule.must_be_constant);
  EXPECT_EQ(rows[0].parameters[1].rule.max, 3);
  EXPECT_EQ(rows[0].text, "f(S or vecN<S>, I) -> vec4<S> where S is abstract-float, f32 or f16; I is i32 or u32");
  const Argument arguments[] = {{t.vec(t.f32(), 3), false}, {t.abstract_int(), true}};
  const Match match = resolve_overload(t, rows, arguments);
  ASSERT_NE(match.overload, nullptr);
  EXPECT_EQ(match.parameters[1], t.i32());
  EXPECT_EQ(match.result, t.vec(t.f32(), 4));
}

// Some hundred different questions, more than are remembered, and each again before and after the memory is full.
TEST(Overload, TheMemoryAnswersAsTheResolutionDoes) {
  TypeTable t;
  std::vector<const Type*> types{t.bool_type(), t.i32(), t.u32(), t.f32(), t.abstract_int(), t.abstract_float()};
  for (size_t k = 0, scalars = types.size(); k < scalars; ++k) types.push_back(t.vec(types[k], 3));
  OverloadMemory memory;
  const auto expect_same = [&](ast::BinaryOp op, const Type* left, const Type* right, bool constant) {
    const Argument arguments[] = {{left, constant}, {right, constant}};
    const Match& remembered = memory.resolve(t, signature(op), arguments);
    const Match match = resolve_overload(t, signature(op), arguments);
    ASSERT_EQ(remembered.overload, match.overload);
    if (match.overload == nullptr) return;
    EXPECT_EQ(remembered.result, match.result);
    for (size_t k = 0; k < 2; ++k) EXPECT_EQ(remembered.parameters[k], match.parameters[k]);
  };
  for (const auto op : {ast::BinaryOp::Add, ast::BinaryOp::ShiftLeft, ast::BinaryOp::LogicalAnd, ast::BinaryOp::Less}) {
    for (const Type* left : types) {
      for (const Type* right : types) {
        expect_same(op, left, right, false);
        expect_same(op, left, right, true);
        expect_same(ast::BinaryOp::Multiply, t.f32(), right, false);
      }
    }
  }
}

TEST(Overload, AbstractOnlyAmongConstants) {
  TypeTable t;
  const Argument constants[] = {{t.abstract_int(), true}, {t.abstract_float(), true}};
  EXPECT_EQ(resolve_overload(t, signature(ast::BinaryOp::Add), constants).result, t.abstract_float());
  const Argument mixed[] = {{t.abstract_int(), true}, {t.u32(), false}};
  EXPECT_EQ(resolve_overload(t, signature(ast::BinaryOp::Add), mixed).result, t.u32());
  const Argument shifted[] = {{t.abstract_int(), true}, {t.u32(), false}};
  EXPECT_EQ(resolve_overload(t, signature(ast::BinaryOp::ShiftLeft), shifted).result, t.i32());
  const Argument wrong[] = {{t.i32(), true}, {t.u32(), true}};
  EXPECT_EQ(resolve_overload(t, signature(ast::BinaryOp::Add), wrong).overload, nullptr);
}

TEST(Overload, EveryBuiltinHasASignature) {
#define KEM_ROW(id, spelling)                                                                                    \
  {                                                                                                              \
    const BuiltinSignature& row = signature(Builtin::id);                                                        \
    EXPECT_TRUE((row.flags & kSpecial) != 0 || !row.overloads.empty()) << spelling;                              \
    EXPECT_EQ(find_builtin(spelling), Builtin::id);                                                              \
    for (const Overload& overload : row.overloads) EXPECT_EQ(overload.text.find(spelling), 0u) << overload.text; \
  }
  KEM_WGSL_BUILTINS(KEM_ROW)
#undef KEM_ROW
}

}  // namespace
}  // namespace kem::wgsl::sem
