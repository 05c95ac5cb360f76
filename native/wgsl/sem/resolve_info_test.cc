// What the side tables hold after a successful resolve().
#include <gtest/gtest.h>

#include "wgsl/sem/analysis_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

std::vector<std::string> names(std::span<const Variable* const> variables) {
  std::vector<std::string> result;
  for (const Variable* variable : variables) result.emplace_back(variable->name);
  return result;
}

TEST(Info, FunctionsComeAfterTheirCallees) {
  Resolved r("fn a() { b(); c(); } fn b() { c(); } fn c() {}");
  ASSERT_TRUE(r.ok());
  std::vector<std::string_view> order;
  for (const Function* function : r.info().functions) order.push_back(function->name);
  EXPECT_EQ(order, (std::vector<std::string_view>{"c", "b", "a"}));
  EXPECT_EQ(r.function("a")->callees.size(), 2u);
  EXPECT_EQ(r.function("a")->index, 2u);
}

TEST(Info, ModuleVariablesAreTransitive) {
  Resolved r(
      "override base = 2; override size = base * 4; alias A = array<u32, size>; var<workgroup> w: A; "
      "override seed = 1; var<private> p: i32 = seed; var<private> unused: i32; const c = 1; "
      "fn f() { w[0] = 1; } fn g() { p = c; f(); }");
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(names(r.function("f")->module_variables), (std::vector<std::string>{"base", "size", "w"}));
  EXPECT_EQ(names(r.function("g")->module_variables), (std::vector<std::string>{"base", "size", "w", "seed", "p"}));
  EXPECT_EQ(names(r.info().overrides), (std::vector<std::string>{"base", "size", "seed"}));
}

TEST(Info, WorkgroupSizeUsesItsOverrides) {
  Resolved r("@id(7) override n = 4u; @compute @workgroup_size(n, 2) fn main() {}");
  ASSERT_TRUE(r.ok());
  const Function* main = r.function("main");
  EXPECT_EQ(main->stage, PipelineStage::Compute);
  EXPECT_EQ(names(main->module_variables), (std::vector<std::string>{"n"}));
  EXPECT_EQ(main->module_variables[0]->override_id, uint16_t{7});
  ASSERT_NE(main->workgroup_size[1], nullptr);
  EXPECT_EQ(r.info()[main->workgroup_size[1]].value->integer, 2);
  EXPECT_EQ(r.info()[main->workgroup_size[1]].used_as(), r.types().u32());
  EXPECT_EQ(main->workgroup_size[2], nullptr);
}

// An initializer's tree: types before and after conversion, stages, values converted to what the context wants.
TEST(Info, ExpressionsAreConvertedToTheirContext) {
  Resolved r("var<private> v: f32; fn f() { let a: u32 = 1 + 2; let b = v * 2; let c = vec3(1, 2, 3).zy; }");
  ASSERT_TRUE(r.ok());
  const auto statements = r.function("f")->syntax->body->statements;
  const auto initializer = [&](size_t i) {
    return static_cast<const ast::Declaration*>(statements[i])->variable->initializer;
  };
  const ExprInfo& sum = r.info()[initializer(0)];
  EXPECT_EQ(sum.type, r.types().abstract_int());
  EXPECT_EQ(sum.target, r.types().u32());
  EXPECT_EQ(sum.stage, Stage::Constant);
  EXPECT_EQ(sum.value->type, r.types().u32());
  EXPECT_EQ(sum.value->integer, 3);

  const auto* product = static_cast<const ast::Binary*>(initializer(1));
  EXPECT_EQ(r.info()[product].stage, Stage::Runtime);
  EXPECT_NE(as_reference(r.info()[product->lhs].type), nullptr);
  EXPECT_EQ(r.info()[product->lhs].used_as(), r.types().f32());
  EXPECT_EQ(r.info()[product->rhs].value->type, r.types().f32());

  const auto* swizzle = static_cast<const ast::Member*>(initializer(2));
  EXPECT_EQ(*r.info()[swizzle].swizzle(), (ExprInfo::Swizzle{2, {2, 1, 0, 0}}));
  EXPECT_EQ(r.info()[swizzle].used_as(), r.types().vec(r.types().i32(), 2));
}

TEST(Info, CallsSayWhatTheyCall) {
  Resolved r(
      "fn g(x: f32) -> f32 { return x; } fn f(i: i32) { let a = g(1); let b = max(i, 2); let c = vec2f(); let d = "
      "f32(i); }");
  ASSERT_TRUE(r.ok());
  const auto statements = r.function("f")->syntax->body->statements;
  const auto target = [&](size_t i) {
    return r.info()[static_cast<const ast::Declaration*>(statements[i])->variable->initializer].call();
  };
  EXPECT_EQ(target(0)->kind, CallTarget::Kind::Function);
  EXPECT_EQ(target(0)->function, r.function("g"));
  EXPECT_EQ(target(1)->kind, CallTarget::Kind::Builtin);
  EXPECT_EQ(target(1)->builtin, Builtin::Max);
  EXPECT_EQ(target(1)->parameters[1], r.types().i32());
  EXPECT_EQ(target(2)->kind, CallTarget::Kind::ZeroValue);
  EXPECT_EQ(target(3)->kind, CallTarget::Kind::Convert);
  EXPECT_EQ(target(3)->parameters[0], r.types().i32());
}

TEST(Info, SwitchSelectors) {
  Resolved r("fn f(u: u32) { switch u { case 1, default { } case 3 + 4 { } } }");
  ASSERT_TRUE(r.ok());
  const auto& selectors = r.info().switch_selectors.at(r.function("f")->syntax->body->statements[0]);
  ASSERT_EQ(selectors.size(), 3u);
  EXPECT_EQ(selectors[0]->type, r.types().u32());
  EXPECT_EQ(selectors[1], nullptr);
  EXPECT_EQ(selectors[2]->integer, 7);
}

TEST(Info, DiagnosticFiltersAreOutermostFirst) {
  Resolved r(
      "diagnostic(warning, derivative_uniformity); "
      "@diagnostic(off, derivative_uniformity) fn f() { @diagnostic(info, derivative_uniformity) if true { } }");
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r.info().filters.size(), 3u);
  EXPECT_EQ(r.info().filters[0].severity, Severity::Warning);
  EXPECT_EQ(r.info().filters[1].severity, Severity::Off);
  EXPECT_EQ(r.info().filters[2].severity, Severity::Info);
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
