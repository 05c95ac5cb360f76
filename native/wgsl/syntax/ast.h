// The abstract syntax tree: what was written, before any meaning. One struct per grammar construct of the
// specification's "Grammar" appendix, tagged by kind, allocated in the module's arena, immutable after parsing.
// Names are symbols, whose texts are views into the source; parentheses are not kept (spans are).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "wgsl/syntax/symbol_table.h"

namespace kem::wgsl::ast {

struct Ident {
  const Symbol* symbol = nullptr;
  Span span;

  std::string_view name() const { return symbol != nullptr ? symbol->text : std::string_view(); }
};

// ---- Expressions (spec "Expressions") -------------------------------------------------------------------

enum class ExprKind : uint8_t { Literal, Identifier, Call, Index, Member, Unary, Binary };

// A large module has a million of nodes, which every stage reads: bases end with their smallest members, behind which
// what is derived has its own small ones, and a name's place is told by the expression's.
struct Expr {
  uint32_t id = 0;  // dense from 0; indexes the resolver's side table
  Span span;
  uint16_t height = 0;  // of the tree below: 1 for a leaf, at most kMaxExpressionHeight
  ExprKind kind{};
};

// The parser refuses higher expression trees, so that later stages may recurse over expressions. (A chain
// `a + b + c ...` is as high as it has operators.) Chains of `else if` have no such bound: iterate over them.
constexpr uint16_t kMaxExpressionHeight = 512;

enum class LiteralKind : uint8_t { Bool, AbstractInt, I32, U32, AbstractFloat, F32, F16 };

struct Literal : Expr {
  LiteralKind literal_kind{};
  // Already range-checked and rounded to the literal's type (spec "Numeric Literals").
  union {
    int64_t int_value = 0;  // AbstractInt, I32, U32; Bool: 0 or 1
    double float_value;     // AbstractFloat, F32, F16
  };
};
static_assert(sizeof(Literal) == 24);

// template_elaborated_ident: a name and, where template list discovery found one, its template arguments.
struct Identifier : Expr {
  bool has_template_list = false;  // it is a TemplatedIdentifier
  const Symbol* symbol;

  std::string_view name() const { return symbol->text; }
  Span name_span() const { return {span.begin, span.begin + static_cast<uint32_t>(name().size())}; }
  std::span<const Expr* const> template_args() const;
};
static_assert(sizeof(Identifier) == 24);

struct TemplatedIdentifier : Identifier {
  std::span<const Expr* const> args;
};

inline std::span<const Expr* const> Identifier::template_args() const {
  if (!has_template_list) return {};
  return static_cast<const TemplatedIdentifier*>(this)->args;
}

struct Call : Expr {
  const Identifier* callee;
  std::span<const Expr* const> args;
};

struct Index : Expr {
  const Expr* object;
  const Expr* index;
};

struct Member : Expr {
  const Expr* object;
  const Symbol* symbol;  // of a structure's member, or a swizzle

  std::string_view name() const { return symbol->text; }
  Span name_span() const { return {span.end - static_cast<uint32_t>(name().size()), span.end}; }
};

enum class UnaryOp : uint8_t { Negate, Not, Complement, Indirection, AddressOf };

struct Unary : Expr {
  UnaryOp op{};
  const Expr* operand;
};

enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  LogicalAnd,
  LogicalOr,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual
};

struct Binary : Expr {
  BinaryOp op{};
  const Expr* lhs;
  const Expr* rhs;
};
static_assert(sizeof(Unary) == 24 && sizeof(Binary) == 32);

// ---- Attributes (spec "Attributes") ---------------------------------------------------------------------

// Attribute, spelling, fewest and most arguments. (diagnostic, builtin and interpolate take names, not
// expressions; they stand in Attribute::names.)
#define KEM_WGSL_ATTRIBUTES(ROW)           \
  ROW(Align, "align", 1, 1)                \
  ROW(Binding, "binding", 1, 1)            \
  ROW(BlendSrc, "blend_src", 1, 1)         \
  ROW(Builtin, "builtin", 1, 2)            \
  ROW(Compute, "compute", 0, 0)            \
  ROW(Const, "const", 0, 0)                \
  ROW(Diagnostic, "diagnostic", 2, 2)      \
  ROW(Fragment, "fragment", 0, 0)          \
  ROW(Group, "group", 1, 1)                \
  ROW(Id, "id", 1, 1)                      \
  ROW(Interpolate, "interpolate", 1, 2)    \
  ROW(Invariant, "invariant", 0, 0)        \
  ROW(Location, "location", 1, 1)          \
  ROW(MustUse, "must_use", 0, 0)           \
  ROW(Size, "size", 1, 1)                  \
  ROW(SubgroupSize, "subgroup_size", 1, 1) \
  ROW(Vertex, "vertex", 0, 0)              \
  ROW(WorkgroupSize, "workgroup_size", 1, 3)

enum class AttributeKind : uint8_t {
#define KEM_ROW(id, spelling, min, max) id,
  KEM_WGSL_ATTRIBUTES(KEM_ROW)
#undef KEM_ROW
};

// diagnostic_control: `(severity, rule)`, of a directive or an attribute. `rule` may be `a.b`.
struct DiagnosticControl {
  Ident severity;
  Ident rule_namespace;  // empty name if there is no dot
  Ident rule;
};

struct Attribute {
  AttributeKind kind;
  Span span;  // from '@' on
  std::span<const Expr* const> args;
  std::span<const Ident> names;  // @builtin(name), @interpolate(type[, sampling])
  const DiagnosticControl* diagnostic = nullptr;
};

using Attributes = std::span<const Attribute* const>;

// ---- Statements (spec "Statements") ---------------------------------------------------------------------

struct Variable;
struct ConstAssert;

enum class StmtKind : uint8_t {
  Compound,
  Declaration,
  Assign,
  Phony,
  Increment,
  If,
  Switch,
  Loop,
  For,
  While,
  Break,
  Continue,
  Return,
  Discard,
  Call,
  ConstAssert
};

struct Stmt {
  Span span;
  StmtKind kind{};
};

struct Compound : Stmt {
  Attributes attributes;
  std::span<const Stmt* const> statements;
};

struct Declaration : Stmt {
  const Variable* variable;  // var, let or const
};

struct Assign : Stmt {
  bool compound = false;  // `lhs op= rhs`
  BinaryOp op = BinaryOp::Add;
  const Expr* lhs;
  const Expr* rhs;
};
static_assert(sizeof(Assign) == 32);

struct Phony : Stmt {  // `_ = rhs`
  const Expr* rhs;
};

struct Increment : Stmt {  // `lhs++`, `lhs--`
  bool decrement = false;
  const Expr* lhs;
};

struct If : Stmt {
  Attributes attributes;
  const Expr* condition;
  const Compound* then_block;
  const Stmt* else_block = nullptr;  // Compound, or If for `else if`
};

struct CaseClause {
  Span span;
  bool is_default_alone = false;           // `default:`
  std::span<const Expr* const> selectors;  // a null entry is `default` within `case`
  const Compound* body;
};

struct Switch : Stmt {
  Attributes attributes;
  const Expr* condition;
  Attributes body_attributes;
  std::span<const CaseClause* const> clauses;
};

struct Continuing {
  Span span;
  Attributes attributes;
  std::span<const Stmt* const> statements;
  const Expr* break_if = nullptr;
};

struct Loop : Stmt {
  Attributes attributes;
  Attributes body_attributes;
  std::span<const Stmt* const> statements;
  const Continuing* continuing = nullptr;
};

struct For : Stmt {
  Attributes attributes;
  const Stmt* initializer = nullptr;
  const Expr* condition = nullptr;
  const Stmt* update = nullptr;
  const Compound* body;
};

struct While : Stmt {
  Attributes attributes;
  const Expr* condition;
  const Compound* body;
};

struct Break : Stmt {};
struct Continue : Stmt {};
struct Discard : Stmt {};

struct Return : Stmt {
  const Expr* value = nullptr;
};

struct CallStmt : Stmt {
  const Call* call;
};

struct ConstAssertStmt : Stmt {
  const ConstAssert* assertion;
};

// ---- Declarations (spec "Declaration and Scope") --------------------------------------------------------

enum class DeclKind : uint8_t { Variable, Alias, Struct, Function, ConstAssert };

struct Decl {
  Span span;
  DeclKind kind{};
};

enum class VariableKind : uint8_t { Var, Let, Const, Override };

struct Variable : Decl {
  VariableKind variable_kind{};
  bool has_template_list = false;
  uint32_t id = 0;  // dense from 0; indexes the resolver's side table
  Attributes attributes;
  std::span<const Expr* const> template_args;  // var<...>: address space, access mode
  Ident name;
  const Expr* type = nullptr;  // type_specifier
  const Expr* initializer = nullptr;
};

struct Alias : Decl {
  Ident name;
  const Expr* type;
};

struct StructMember {
  Span span;
  Attributes attributes;
  Ident name;
  const Expr* type;
};

struct Struct : Decl {
  Ident name;
  std::span<const StructMember* const> members;
};

struct Parameter {
  Span span;
  Attributes attributes;
  Ident name;
  const Expr* type;
};

struct Function : Decl {
  Attributes attributes;
  Ident name;
  std::span<const Parameter* const> parameters;
  Attributes return_attributes;
  const Expr* return_type = nullptr;
  const Compound* body;
};

struct ConstAssert : Decl {
  const Expr* condition;
};

// ---- Directives (spec "Directives") ---------------------------------------------------------------------

enum class DirectiveKind : uint8_t { Enable, Requires, Diagnostic };

struct Directive {
  DirectiveKind kind;
  Span span;
  std::span<const Ident> names;                   // enable, requires
  const DiagnosticControl* diagnostic = nullptr;  // diagnostic
};

// A name that a module-scope declaration uses, and that is not declared within it.
struct Mention {
  const Symbol* symbol;
  Span span;  // of the first use
};

struct Module {
  Arena arena;
  std::span<const Directive* const> directives;
  std::span<const Decl* const> declarations;           // in source order
  std::span<const std::span<const Mention>> mentions;  // by declaration, each name once
  // The ids of the expressions of declarations[i] run from [i] to [i + 1].
  std::span<const uint32_t> first_expressions;
  uint32_t expression_count = 0;  // ids run from 0 to this
  uint32_t variable_count = 0;    // likewise
  uint32_t symbol_count = 0;      // likewise
};

}  // namespace kem::wgsl::ast
