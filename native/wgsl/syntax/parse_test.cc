// What the parser makes of good text (as the printer shows it), what it says of bad text, and its bounds.
#include "wgsl/syntax/parse.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "wgsl/syntax/ast_printer.h"
#include "wgsl/syntax/suggest.h"

namespace kem::wgsl {
namespace {

using testing::HasSubstr;

struct Parsed {
  std::string tree;      // "" if refused
  std::string rendered;  // diagnostics
  size_t errors = 0;
};

Parsed parse_text(std::string text, const Limits& limits = {}) {
  const Source source(std::move(text), "k");
  Diagnostics diagnostics(limits.diagnostics);
  const auto module = parse(source, limits, diagnostics);
  Parsed result;
  if (module != nullptr) result.tree = ast::print(*module);
  result.rendered = render(source, diagnostics);
  result.errors = diagnostics.all().size();
  return result;
}

std::string in_function(const std::string& text) { return "fn f() { " + text + " }"; }

std::string expression_tree(const std::string& text) {
  const Parsed parsed = parse_text("const c = " + text + ";");
  if (parsed.tree.empty()) return parsed.rendered;
  const std::string_view prefix = "(const c _ ";
  return parsed.tree.substr(prefix.size(), parsed.tree.size() - prefix.size() - 2);
}

TEST(ParseExpression, PrecedenceAndAssociativity) {
  EXPECT_EQ(expression_tree("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(expression_tree("a / b % c"), "(% (/ a b) c)");
  EXPECT_EQ(expression_tree("-a * b"), "(* (- a) b)");
  EXPECT_EQ(expression_tree("-a.b[0]"), "(- (index (. a b) 0))");
  EXPECT_EQ(expression_tree("a + b < c - d"), "(< (+ a b) (- c d))");
  EXPECT_EQ(expression_tree("a < b && c == d && e"), "(&& (&& (< a b) (== c d)) e)");
  EXPECT_EQ(expression_tree("a || b || c"), "(|| (|| a b) c)");
  EXPECT_EQ(expression_tree("a | b | c"), "(| (| a b) c)");
  EXPECT_EQ(expression_tree("(a & b) | c"), "(| (& a b) c)");
  EXPECT_EQ(expression_tree("a << b == c >> d"), "(== (<< a b) (>> c d))");
  EXPECT_EQ(expression_tree("!a != ~b"), "(!= (! a) (~ b))");
  EXPECT_EQ(expression_tree("a - (b - c)"), "(- a (- b c))");
}

TEST(ParseExpression, TokensSplitWhereTheGrammarWantsIt) {
  EXPECT_EQ(expression_tree("a--b"), "(- a (- b))");
  EXPECT_EQ(expression_tree("a---b"), "(- a (- (- b)))");
  EXPECT_EQ(expression_tree("a * --b"), "(* a (- (- b)))");
  EXPECT_EQ(expression_tree("a-- - -b"), "(- a (- (- (- b))))");
  EXPECT_EQ(expression_tree("a && &&b"), "(&& a (& (& b)))");
}

TEST(ParseExpression, Templates) {
  EXPECT_EQ(expression_tree("array<vec2<f32>, 4>()"), "(call array<vec2<f32> 4>)");
  EXPECT_EQ(expression_tree("bitcast<f32>(x)"), "(call bitcast<f32> x)");
  EXPECT_EQ(expression_tree("f(a < b, c > (d))"), "(call f (call a<b c> d))");
  EXPECT_EQ(expression_tree("f((a < b), c > d)"), "(call f (< a b) (> c d))");
  EXPECT_EQ(expression_tree("array<i32,select(2,3,a>b)>()"), "(call array<i32 (call select 2 3 (> a b))>)");
  EXPECT_EQ(expression_tree("x<y>(z)>=w"), "(>= (call x<y> z) w)");
}

TEST(ParseExpression, Literals) {
  EXPECT_EQ(expression_tree("array(1, 2i, 3u, 4., 5f, 6.5h, true, 0x10, 1e10)"),
            "(call array 1 2i 3u 4.0 5.0f 6.5h true 16 1e+10)");
}

TEST(ParseStatement, EveryKind) {
  const Parsed parsed = parse_text(R"(
fn f(p: ptr<function, i32>, @builtin(position) q: vec4f) -> @location(0) i32 {
  var a: i32; let b = 1; const c: u32 = 2;
  a = b; a += 1; a >>= 2; *p = 3; _ = a; a++; a--;
  g(); return;
  if a { b = 1; } else if c { d = 2; } else { e = 3; }
  switch a { case 1, default: { break; } case 2 {} default {} }
  loop { continue; continuing { a = 1; break if a; } }
  for (var i = 0; i < 4; i++) { discard; }
  for (;;) {}
  while a { ; }
  const_assert true;
  @diagnostic(off, x.y) { return a; }
})");
  EXPECT_EQ(parsed.rendered, "");
  EXPECT_EQ(parsed.tree, R"((fn f (param p ptr<function i32>) (param (@builtin position) q vec4f) (-> (@location 0) i32)
  (block
    (var a i32 _)
    (let b _ 1)
    (const c u32 2)
    (= a b)
    (+= a 1)
    (>>= a 2)
    (= (* p) 3)
    (_= a)
    (++ a)
    (-- a)
    (call g)
    (return)
    (if a
      (block
        (= b 1))
      else-if c
      (block
        (= d 2))
      else (block
        (= e 3)))
    (switch a
      (case 1 _
        (block
          (break)))
      (case 2
        (block))
      (default
        (block)))
    (loop
      (body
        (continue))
      (continuing
        (= a 1))
      (break-if a))
    (for (var i _ 0) (< i 4) (++ i)
      (block
        (discard)))
    (for _ _ _
      (block))
    (while a
      (block))
    (const_assert true)
    (block (@diagnostic off x.y)
      (return a))))
)");
}

TEST(ParseModule, EveryDeclaration) {
  const Parsed parsed = parse_text(R"(
enable f16, subgroups; requires a; diagnostic(error, derivative_uniformity);
alias T = vec4<f32>;
struct S { @align(16) @size(32) a: T, b: array<u32> }
@group(0) @binding(1) var<storage, read_write> s: S;
@id(3) override o: f32 = 1.5;
const k = 1;
const_assert k == 1;
@compute @workgroup_size(8, 8) fn main() {}
)");
  EXPECT_EQ(parsed.rendered, "");
  EXPECT_EQ(parsed.tree, R"((enable f16 subgroups)
(requires a)
(diagnostic error derivative_uniformity)
(alias T vec4<f32>)
(struct S (member (@align 16) (@size 32) a T) (member b array<u32>))
(var<storage read_write> (@group 0) (@binding 1) s S _)
(override (@id 3) o f32 1.5)
(const k _ 1)
(const_assert (== k 1))
(fn (@compute) (@workgroup_size 8 8) main (->)
  (block))
)");
}

TEST(ParseModule, SpansAndIdsAreExact) {
  const Source source("const c = f(a + b).x;");
  Diagnostics diagnostics;
  const auto module = parse(source, Limits{}, diagnostics);
  ASSERT_NE(module, nullptr);
  const auto* c = static_cast<const ast::Variable*>(module->declarations[0]);
  const auto text = [&](Span s) { return source.text().substr(s.begin, s.end - s.begin); };
  EXPECT_EQ(text(c->span), "const c = f(a + b).x");
  EXPECT_EQ(text(c->initializer->span), "f(a + b).x");
  const auto* member = static_cast<const ast::Member*>(c->initializer);
  EXPECT_EQ(text(member->name_span()), "x");
  const auto* call = static_cast<const ast::Call*>(member->object);
  EXPECT_EQ(text(call->callee->name_span()), "f");
  EXPECT_EQ(text(call->span), "f(a + b)");
  EXPECT_EQ(text(call->args[0]->span), "a + b");
  EXPECT_EQ(module->expression_count, 6u);  // f, a, b, +, call, member
  EXPECT_EQ(c->initializer->height, 4u);
  EXPECT_LT(c->initializer->id, module->expression_count);
}

// The names that the last declaration of the text mentions, in order.
std::string mentions_of(std::string text) {
  const Source source(std::move(text));
  Diagnostics diagnostics;
  const auto module = parse(source, Limits{}, diagnostics);
  if (module == nullptr) return render(source, diagnostics);
  EXPECT_EQ(module->mentions.size(), module->declarations.size());
  std::string names;
  for (const ast::Mention& mention : module->mentions.back()) {
    EXPECT_EQ(source.text().substr(mention.span.begin, mention.span.end - mention.span.begin), mention.symbol->text);
    names += (names.empty() ? "" : " ") + std::string(mention.symbol->text);
  }
  return names;
}

// Spec "Declaration and Scope": a local declaration hides a name from behind it to the end of its scope.
TEST(ParseModule, MentionsAreTheNamesFromOutside) {
  EXPECT_EQ(mentions_of("const x = 1; const c = f(a + b, a).x;"), "f a b");
  EXPECT_EQ(mentions_of("alias t = array<vec2<f32>, n>;"), "array vec2 f32 n");
  EXPECT_EQ(mentions_of("struct S { @size(n) a: i32, b: T }"), "n i32 T");
  EXPECT_EQ(mentions_of("fn f(a: b, c: a) -> d { return a + c + e; }"), "b a d e");
  EXPECT_EQ(mentions_of("fn f() { f(); }"), "f");
  EXPECT_EQ(mentions_of("fn f() { let a = a; { let b = a; _ = b; } _ = b; }"), "a b");
  EXPECT_EQ(mentions_of("fn f() { for (var i = 0; i < n; i++) { var n = i; } _ = i; }"), "n i");
  EXPECT_EQ(mentions_of("fn f() { loop { let a = 1; continuing { let b = a; break if b == a; } } _ = a; _ = b; }"),
            "a b");
  EXPECT_EQ(
      mentions_of("fn f() { while c { let c = 1; } if c { let d = 1; } else if d { let e = 1; } else { _ = e; } }"),
      "c d e");
  EXPECT_EQ(mentions_of("fn f() { switch a { case b: { let g = 1; } default: { _ = g; } } }"), "a b g");
  EXPECT_EQ(mentions_of("fn f() { var a: i32; a = 1; a += 2; a++; *p = a.q[r]; g(a); }"), "i32 p r g");
}

// ---- Messages

struct Message {
  std::string text;
  const char* expected;  // part of the rendered diagnostics
};

TEST(ParseErrors, SayWhatWasExpectedAndHint) {
  const Message kMessages[] = {
      {"let x: u32 = 1;", "'let' only declares within functions: at module scope write 'const' or 'override'"},
      {"const x = 1", "expected ';' after the const declaration, found the end of the text"},
      {in_function("let a = 1 let b = 2;"), "k:1:18 error: expected ';' after this statement, found 'let'"},
      {in_function("++i;"), "'++' stands after the variable: write 'x++;'"},
      {in_function("float x = 1.0;"), "declarations begin with 'var', 'let' or 'const'"},
      {"#include <a>", "no preprocessor"},
      {in_function("let a = 'b';"), "WGSL has no strings or characters"},
      {in_function("let a = b & c | d;"), "mixing '&' and '|' needs parentheses"},
      {in_function("let a = b << c + d;"), "mixing '<<' and '+' needs parentheses"},
      {in_function("let a = b && c || d;"), "mixing '&&' and '||' needs parentheses"},
      {in_function("if b < (c) < d {}"), "comparisons cannot be chained: '<' after '<'"},
      {"@comput fn f() {}", "did you mean '@compute'?"},
      {"@stage(compute) fn f() {}", "write '@compute', '@vertex' or '@fragment'"},
      {"@workgroup_size(1, 2, 3, 4) fn f() {}", "'@workgroup_size' takes 1 to 3 arguments, not 4"},
      {"@compute(1) fn f() {}", "'@compute' takes no arguments"},
      {"const a = 1; enable f16;", "directives must come before all declarations"},
      {"struct S { a: i32; }", "separated by ',', not ';'"},
      {"struct S { i32 a }", "members are written 'name: type'"},
      {"fn f(i32 a) {}", "parameters are written 'name: type'"},
      {"fn f() : i32 {}", "the return type follows '->', not ':'"},
      {"static_assert true;", "write 'const_assert' for 'static_assert'"},
      {"typedef a b;", "write 'alias' for 'typedef'"},
      {"func f() {}", "functions begin with 'fn'"},
      {"[[group(0)]] var a: i32;", "attributes are written '@name'"},
      {"const target = 1;", "'target' is a reserved word: choose another name"},
      {"const fn = 1;", "'fn' is a keyword and cannot be a name"},
      {in_function("if a b = 1;"), "expected '{' to begin the 'if' block, found 'b'"},
      {in_function("if a {} elif b {}"), "write 'else if' for 'elif'"},
      {in_function("loop { break if a; }"), "'break if' only stands last in a 'continuing' block"},
      {in_function("case 1: {}"), "'case' only stands within 'switch'"},
      {in_function("let a = (1;"), "'(' opened here"},
      {in_function("let a = +1;"), "there is no unary '+'"},
      {in_function("let a = _;"), "'_' has no value"},
      {in_function("let a = f<>();"), "empty template list"},
      {in_function("let a = b ? c : d;"), "select(if_false, if_true, condition)"},
      {in_function("let a = 4294967296u;"), "'4294967296u' does not fit in u32"},
      {in_function("let a: = 1;"), "expected a type, found '='"},
      {"fn f() { a = 1; fn g() {}", "'fn' only stands at module scope"},
  };
  for (const Message& m : kMessages) {
    const Parsed parsed = parse_text(m.text);
    EXPECT_EQ(parsed.tree, "") << m.text;
    EXPECT_THAT(parsed.rendered, HasSubstr(m.expected)) << m.text;
  }
}

TEST(ParseErrors, OneMistakeGivesOneError) {
  for (const std::string& text :
       {in_function("let a = 1 \n let b = 2;"), in_function("if a b = 1; c = 2;"),
        in_function("for (i = 0; i < ; i++) { a = 1; }"),
        in_function("switch a { case 1 2 { b = 1; } default { c = 1; } } d = 1;"), in_function("let a = 'x'; b = 1;"),
        in_function("while (a { b = 1; } c = 1;"), in_function("float x = 1.0; let b = 2;"),
        std::string("@unknown(1) fn f(a: i32) { a = 1; } const b = 1;"),
        std::string("fn f(@unknown(1) a: i32, @size(1) b: i32) {}"),
        std::string("fn f( { a = 1; b = 2; } const c = 1;"), std::string("struct S { i32 a, } const c = 1;"),
        std::string("const a = ; const b = 1;"), std::string("fn f() { a = 1; const b = 2;"),
        std::string("let a = 1; fn f() { let b = 2; }")}) {
    EXPECT_EQ(parse_text(text).errors, 1u) << text << "\n" << parse_text(text).rendered;
  }
}

TEST(ParseErrors, SeveralErrorsAreReported) {
  const Parsed parsed = parse_text(R"(const a = ;
fn f() {
  let b = 1 +;
  if { c = 1 }
  d e;
}
const g = 2
fn h() -> { }
const k = 3;)");
  for (const char* place : {"k:1:11 ", "k:3:14 ", "k:4:6 ", "k:4:12 ", "k:5:5 ", "k:7:11 ", "k:8:11 "}) {
    EXPECT_THAT(parsed.rendered, HasSubstr(place));
  }
  EXPECT_EQ(parsed.errors, 7u) << parsed.rendered;
}

TEST(ParseErrors, NeverMoreThanTheLimit) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "const = 1; ";
  EXPECT_EQ(parse_text(text).errors, Limits{}.diagnostics);
  EXPECT_EQ(parse_text(in_function(text)).errors, Limits{}.diagnostics);
}

// ---- Bounds

std::string repeat(std::string_view text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(ParseBounds, BlocksNestAsDeepAsTheLimit) {
  EXPECT_EQ(parse_text(in_function(repeat("{", 127) + repeat("}", 127))).rendered, "");
  EXPECT_THAT(parse_text(in_function(repeat("{", 128) + repeat("}", 128))).rendered, HasSubstr("nest more than 127"));
  EXPECT_EQ(parse_text(in_function(repeat("if a {", 127) + repeat("}", 127))).rendered, "");
  EXPECT_EQ(parse_text(in_function(repeat("loop { {", 200'000))).errors, 1u);
}

TEST(ParseBounds, ExpressionsNestAsDeepAsTheLimit) {
  const size_t most = ast::kMaxExpressionHeight;
  EXPECT_EQ(parse_text("const c = " + repeat("(", most - 1) + "1" + repeat(")", most - 1) + ";").rendered, "");
  EXPECT_EQ(parse_text("const c = 1" + repeat(" + 1", most - 1) + ";").rendered, "");
  EXPECT_EQ(parse_text("const c = " + repeat("-", most - 1) + "1;").rendered, "");
  const std::vector<std::string> kDeep = {
      repeat("(", most) + "1" + repeat(")", most),
      "1" + repeat(" + 1", most),
      repeat("-", most) + "1",
      "a" + repeat(".b", most),
      repeat("f(", most) + repeat(")", most),
      repeat("a[", most) + "1" + repeat("]", most),
      repeat("a<", most) + "b" + repeat(">", most),
      repeat("(", 100'000),
      repeat("- ", 100'000) + "1",
      repeat("!(", 100'000),
      "1" + repeat(" + 1", 100'000),
      "a" + repeat(" && a", 100'000),
      repeat("f(", 100'000),
      repeat("a<", 100'000) + repeat(">", 100'000),
      repeat("a[", 100'000),
  };
  Limits limits;
  limits.source_bytes = 1u << 30;
  for (const std::string& text : kDeep) {
    const Parsed parsed = parse_text("const c = " + text + ";", limits);
    EXPECT_EQ(parsed.errors, 1u) << text.substr(0, 20);
    EXPECT_THAT(parsed.rendered, HasSubstr("nests more than")) << text.substr(0, 20);
  }
}

TEST(ParseBounds, LhsExpressionsNestAsDeepAsTheLimit) {
  EXPECT_EQ(parse_text(in_function(repeat("(", 500) + "a" + repeat(")", 500) + " = 1;")).rendered, "");
  EXPECT_EQ(parse_text(in_function(repeat("(", 100'000) + "a = 1;")).errors, 1u);
  EXPECT_EQ(parse_text(in_function(repeat("*", 100'000) + "a = 1;")).errors, 1u);
}

TEST(ParseBounds, ElseIfChainsAreNotBounded) {
  Limits limits;
  limits.source_bytes = 1u << 30;
  const Parsed parsed = parse_text(in_function("if a {}" + repeat(" else if b {}", 100'000)), limits);
  EXPECT_EQ(parsed.rendered, "");
  EXPECT_NE(parsed.tree, "");
}

TEST(ParseBounds, SourceBytes) {
  Limits limits;
  limits.source_bytes = 10;
  EXPECT_EQ(parse_text("const a=1;", limits).rendered, "");
  EXPECT_THAT(parse_text("const a=12;", limits).rendered, HasSubstr("the limit is 10"));
}

TEST(Suggest, FindsSlipsOnly) {
  const std::vector<std::string_view> names = {"compute", "vertex", "workgroup_size", "id"};
  EXPECT_EQ(suggest("comptue", names), "compute");
  EXPECT_EQ(suggest("Compute", names), "compute");
  EXPECT_EQ(suggest("workgroupsize", names), "workgroup_size");
  EXPECT_EQ(suggest("banana", names), std::nullopt);
  EXPECT_EQ(suggest("", names), std::nullopt);
  EXPECT_EQ(suggest(std::string(1000, 'a'), names), std::nullopt);
}

}  // namespace
}  // namespace kem::wgsl
