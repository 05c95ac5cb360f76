// Expressions (spec "Expressions", "Operator Precedence and Associativity"). Each *_rest function takes the
// first operand of its rule, already parsed, and reads on from there.
#include <algorithm>
#include <array>

#include "wgsl/syntax/foreign.h"
#include "wgsl/syntax/number.h"
#include "wgsl/syntax/parser.h"

namespace kem::wgsl {
namespace {

using ast::BinaryOp;
using ast::Expr;
using ast::ExprKind;

struct Operator {
  enum Group : uint8_t { None, Multiplicative, Additive, Shift, Relational, Bitwise, ShortCircuit };
  Group group = None;
  BinaryOp op = BinaryOp::Add;
};

template <class T>
using ByToken = std::array<T, 256>;

constexpr ByToken<Operator> kOperators = [] {
  using K = TokenKind;
  using O = Operator;
  ByToken<Operator> table{};
  const auto row = [&](K kind, O::Group group, BinaryOp op) { table[static_cast<size_t>(kind)] = {group, op}; };
  row(K::Star, O::Multiplicative, BinaryOp::Multiply);
  row(K::Slash, O::Multiplicative, BinaryOp::Divide);
  row(K::Percent, O::Multiplicative, BinaryOp::Remainder);
  row(K::Plus, O::Additive, BinaryOp::Add);
  row(K::Minus, O::Additive, BinaryOp::Subtract);
  row(K::MinusMinus, O::Additive, BinaryOp::Subtract);  // and a negation: within an expression '--' is no token
  row(K::ShiftLeft, O::Shift, BinaryOp::ShiftLeft);
  row(K::ShiftRight, O::Shift, BinaryOp::ShiftRight);
  row(K::Less, O::Relational, BinaryOp::Less);
  row(K::LessEqual, O::Relational, BinaryOp::LessEqual);
  row(K::Greater, O::Relational, BinaryOp::Greater);
  row(K::GreaterEqual, O::Relational, BinaryOp::GreaterEqual);
  row(K::EqualEqual, O::Relational, BinaryOp::Equal);
  row(K::NotEqual, O::Relational, BinaryOp::NotEqual);
  row(K::And, O::Bitwise, BinaryOp::And);
  row(K::Or, O::Bitwise, BinaryOp::Or);
  row(K::Caret, O::Bitwise, BinaryOp::Xor);
  row(K::AndAnd, O::ShortCircuit, BinaryOp::LogicalAnd);
  row(K::OrOr, O::ShortCircuit, BinaryOp::LogicalOr);
  return table;
}();
Operator operator_of(TokenKind kind) { return kOperators[static_cast<size_t>(kind)]; }

constexpr ByToken<std::optional<ast::UnaryOp>> kUnaryOperators = [] {
  using K = TokenKind;
  ByToken<std::optional<ast::UnaryOp>> table{};
  const auto row = [&](K kind, ast::UnaryOp op) { table[static_cast<size_t>(kind)] = op; };
  row(K::Minus, ast::UnaryOp::Negate);
  row(K::MinusMinus, ast::UnaryOp::Negate);
  row(K::Bang, ast::UnaryOp::Not);
  row(K::Tilde, ast::UnaryOp::Complement);
  row(K::Star, ast::UnaryOp::Indirection);
  row(K::And, ast::UnaryOp::AddressOf);
  row(K::AndAnd, ast::UnaryOp::AddressOf);
  return table;
}();
std::optional<ast::UnaryOp> unary_operator_of(TokenKind kind) { return kUnaryOperators[static_cast<size_t>(kind)]; }

bool is_type_word(std::string_view word) {
  constexpr std::string_view kScalars[] = {"bool", "f16", "f32", "i32", "u32"};
  return std::ranges::find(kScalars, word) != std::end(kScalars) || word.starts_with("vec") || is_foreign_type(word);
}

uint32_t highest(std::span<const Expr* const> list) {
  uint32_t height = 0;
  for (const Expr* e : list) height = std::max<uint32_t>(height, e->height);
  return height;
}

}  // namespace

template <class T>
T* Parser::make_expression(ExprKind kind, uint32_t begin, uint32_t height) {
  if (!within_height(height, {begin, previous_end_})) return nullptr;
  T* e = make_node<T>(kind);
  e->height = static_cast<uint16_t>(height);
  e->id = module_.expression_count++;
  e->span = {begin, previous_end_};
  return e;
}

bool Parser::error_height(Span span) {
  const Span shown{span.begin, std::min(span.end, span.begin + 1)};
  return error(shown, "this expression nests more than " + std::to_string(ast::kMaxExpressionHeight) +
                          " operators or parentheses: split it with 'let'");
}

const Expr* Parser::binary(BinaryOp op, const Expr* lhs, const Expr* rhs) {
  if (rhs == nullptr) return nullptr;
  auto* e = make_expression<ast::Binary>(ExprKind::Binary, lhs->span.begin, std::max(lhs->height, rhs->height) + 1u);
  if (e == nullptr) return nullptr;
  e->op = op;
  e->lhs = lhs;
  e->rhs = rhs;
  return e;
}

bool Parser::error_mixed(const Token& first, const Token& second) {
  const std::string a(text_of(first));
  const std::string b(text_of(second));
  const auto is_comparison = [](const Token& t) { return operator_of(t.kind).group == Operator::Relational; };
  if (is_comparison(first) && is_comparison(second)) {
    error(second.span(), "comparisons cannot be chained: '" + b + "' after '" + a + "'");
    add_note(first.span(), "put parentheses around one of them, or join two comparisons with '&&'");
    return false;
  }
  error(second.span(), "mixing '" + a + "' and '" + b + "' needs parentheses");
  add_note(first.span(), "'" + a + "' is here");
  return false;
}

const Expr* Parser::expression() {
  if (!within_height(nesting_ + 1, peek().span())) return nullptr;
  ++nesting_;
  const Expr* first = unary_expression();
  const Expr* whole = first == nullptr ? nullptr : expression_rest(first);
  --nesting_;
  return whole;
}

const Expr* Parser::expression_rest(const Expr* first) {
  if (operator_of(peek().kind).group == Operator::Bitwise) return bitwise_rest(first);
  const Expr* left = relational_rest(first);
  if (left == nullptr) return nullptr;
  if (operator_of(peek().kind).group == Operator::ShortCircuit) return short_circuit_rest(left);
  return left;
}

const Expr* Parser::bitwise_rest(const Expr* first) {
  const Token mark = peek();
  const Expr* left = first;
  while (at(mark.kind)) {
    next();
    left = binary(operator_of(mark.kind).op, left, unary_expression());
    if (left == nullptr) return nullptr;
  }
  if (operator_of(peek().kind).group == Operator::None) return left;
  error_mixed(mark, peek());
  return nullptr;
}

const Expr* Parser::short_circuit_rest(const Expr* first) {
  const Token mark = peek();
  const Expr* left = first;
  while (at(mark.kind)) {
    next();
    left = binary(operator_of(mark.kind).op, left, relational_expression(mark));
    if (left == nullptr) return nullptr;
  }
  if (operator_of(peek().kind).group == Operator::None) return left;
  error_mixed(mark, peek());
  return nullptr;
}

const Expr* Parser::relational_expression(const Token& before) {
  const Expr* first = unary_expression();
  if (first == nullptr) return nullptr;
  if (operator_of(peek().kind).group != Operator::Bitwise) return relational_rest(first);
  error_mixed(before, peek());
  return nullptr;
}

const Expr* Parser::relational_rest(const Expr* first) {
  const Expr* left = shift_rest(first);
  if (left == nullptr) return nullptr;
  const Token mark = peek();
  const Operator op = operator_of(mark.kind);
  if (op.group != Operator::Relational) return left;
  next();
  const Expr* operand = unary_expression();
  if (operand != nullptr) operand = shift_rest(operand);
  left = binary(op.op, left, operand);
  if (left == nullptr) return nullptr;
  const Operator::Group after = operator_of(peek().kind).group;
  if (after != Operator::Relational && after != Operator::Bitwise) return left;
  error_mixed(mark, peek());
  return nullptr;
}

const Expr* Parser::shift_rest(const Expr* first) {
  const Token mark = peek();
  const Operator op = operator_of(mark.kind);
  if (op.group != Operator::Shift) return additive_rest(first);
  next();
  const Expr* shifted = binary(op.op, first, unary_expression());
  if (shifted == nullptr) return nullptr;
  switch (operator_of(peek().kind).group) {
    case Operator::None:
    case Operator::Relational:
    case Operator::ShortCircuit:
      return shifted;
    default:
      error_mixed(mark, peek());
      return nullptr;
  }
}

const Expr* Parser::additive_rest(const Expr* first) {
  Token mark = peek();
  const Expr* left = multiplicative_rest(first);
  while (left != nullptr && operator_of(peek().kind).group == Operator::Additive) {
    mark = next_character();
    const Expr* operand = unary_expression();
    if (operand != nullptr) operand = multiplicative_rest(operand);
    left = binary(operator_of(mark.kind).op, left, operand);
  }
  if (left == nullptr) return nullptr;
  const Operator::Group after = operator_of(peek().kind).group;
  if (left == first || (after != Operator::Shift && after != Operator::Bitwise)) return left;
  error_mixed(mark, peek());
  return nullptr;
}

const Expr* Parser::multiplicative_rest(const Expr* first) {
  const Expr* left = first;
  while (left != nullptr && operator_of(peek().kind).group == Operator::Multiplicative) {
    const Token mark = next();
    left = binary(operator_of(mark.kind).op, left, unary_expression());
  }
  return left;
}

const Expr* Parser::unary_expression() {
  if (unary_operator_of(peek().kind)) return prefixed_operand();
  const Expr* primary = primary_expression();
  return primary == nullptr ? nullptr : singular_rest(primary);
}

// A token's next character as a token of its own: tokens are the longest that the grammar allows at their place,
// so `a--b` is `a - -b` and `&&p` is `& &p`.
Token Parser::next_character() {
  Token& token = tokens_[position_];
  if (token.kind != TokenKind::MinusMinus && token.kind != TokenKind::AndAnd) return next();
  token.kind = token.kind == TokenKind::MinusMinus ? TokenKind::Minus : TokenKind::And;
  Token first = token;
  first.end = ++token.begin;
  previous_end_ = first.end;
  return first;
}

// A run of prefix operators, without recursion: `- - - x`.
const Expr* Parser::prefixed_operand() {
  ListBuilder<Token> prefixes(prefix_pool_);
  while (unary_operator_of(peek().kind)) prefixes.add(next_character());
  const Expr* operand = primary_expression();
  if (operand != nullptr) operand = singular_rest(operand);
  return apply_prefixes(prefixes, operand);
}

const Expr* Parser::apply_prefixes(const ListBuilder<Token>& prefixes, const Expr* operand) {
  for (size_t i = prefixes.size(); operand != nullptr && i-- > 0;) {
    auto* e = make_expression<ast::Unary>(ExprKind::Unary, prefixes[i].begin, operand->height + 1u);
    if (e == nullptr) return nullptr;
    e->op = *unary_operator_of(prefixes[i].kind);
    e->operand = operand;
    operand = e;
  }
  return operand;
}

// component_or_swizzle_specifier *
const Expr* Parser::singular_rest(const Expr* primary) {
  const Expr* object = primary;
  const uint32_t begin = primary->span.begin;
  for (;;) {
    if (at(TokenKind::Period)) {
      next();
      const auto member = expect_identifier("a member or swizzle name");
      if (!member) return nullptr;
      auto* e = make_expression<ast::Member>(ExprKind::Member, begin, object->height + 1u);
      if (e == nullptr) return nullptr;
      e->object = object;
      e->symbol = member->symbol;
      object = e;
    } else if (at(TokenKind::BracketLeft)) {
      const Token open = next();
      const Expr* index = expression();
      if (index == nullptr || !expect_closing(TokenKind::BracketRight, open)) return nullptr;
      auto* e = make_expression<ast::Index>(ExprKind::Index, begin, std::max(object->height, index->height) + 1u);
      if (e == nullptr) return nullptr;
      e->object = object;
      e->index = index;
      object = e;
    } else {
      return object;
    }
  }
}

const Expr* Parser::primary_expression() {
  switch (peek().kind) {
    case TokenKind::Identifier:
    case TokenKind::Reserved: {
      const ast::Identifier* name = template_elaborated_ident("an expression");
      if (name == nullptr || !at(TokenKind::ParenLeft)) return name;
      return call_rest(name);
    }
    case TokenKind::Number:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse:
      return literal();
    case TokenKind::ParenLeft: {
      const Token open = next();
      const Expr* inner = expression();
      if (inner == nullptr || !expect_closing(TokenKind::ParenRight, open)) return nullptr;
      return is_cast(*inner) ? nullptr : inner;
    }
    default:
      error_no_operand();
      return nullptr;
  }
}

// `(i32) x` as C has it, after the ')': an error.
bool Parser::is_cast(const ast::Expr& inner) {
  if (inner.kind != ExprKind::Identifier || !is_type_word(static_cast<const ast::Identifier&>(inner).name()))
    return false;
  const TokenKind kind = peek().kind;
  const bool operand = kind == TokenKind::Identifier || kind == TokenKind::Number || kind == TokenKind::ParenLeft;
  if (!operand) return false;
  const std::string name(static_cast<const ast::Identifier&>(inner).name());
  error(inner.span, "expected an operator after '(" + name + ")', found " + found(),
        "conversions are written as calls: '" + name + "(x)'");
  return true;
}

bool Parser::error_no_operand() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::PlusPlus:
      return error(token.span(), "'++' does not stand before an expression: it is a statement, written 'x++;'");
    case TokenKind::Plus:
      return error(token.span(), "there is no unary '+': leave it out");
    case TokenKind::Underscore:
      return error(token.span(), "'_' has no value: it only stands on the left of '='");
    case TokenKind::Equal:
      error_expected("an expression");
      add_note(token.span(), "'==' compares, '=' assigns");
      return false;
    case TokenKind::BraceLeft:
    case TokenKind::BracketLeft:
      error_expected("an expression");
      add_note(token.span(), "values are constructed by calls: 'array(1, 2, 3)', 'vec3f(1, 2, 3)', 'Structure(1, 2)'");
      return false;
    default:
      return error_expected("an expression");
  }
}

const Expr* Parser::literal() {
  const Token token = next();
  auto* e = make_expression<ast::Literal>(ExprKind::Literal, token.begin, 1);
  if (e == nullptr) return nullptr;
  if (token.kind != TokenKind::Number) {
    e->literal_kind = ast::LiteralKind::Bool;
    e->int_value = token.kind == TokenKind::KwTrue ? 1 : 0;
    return e;
  }
  Number number = decode_number(text_of(token));
  if (!number.error.empty()) error(token.span(), std::move(number.error));  // the grammar holds: go on
  e->literal_kind = number.kind;
  if (number.kind <= ast::LiteralKind::U32) {
    e->int_value = number.int_value;
  } else {
    e->float_value = number.float_value;
  }
  return e;
}

// lhs_expression: prefix '*' and '&' only, and a name, a call or parentheses of the same below.
const Expr* Parser::lhs_expression() {
  if (!within_height(nesting_ + 1, peek().span())) return nullptr;
  ListBuilder<Token> prefixes(prefix_pool_);
  while (at(TokenKind::Star) || at(TokenKind::And) || at(TokenKind::AndAnd)) prefixes.add(next_character());
  const Expr* core = nullptr;
  if (at(TokenKind::ParenLeft)) {
    const Token open = next();
    ++nesting_;
    core = lhs_expression();
    --nesting_;
    if (core != nullptr && !expect_closing(TokenKind::ParenRight, open)) return nullptr;
  } else if (at(TokenKind::Identifier) || at(TokenKind::Reserved)) {
    const ast::Identifier* name = template_elaborated_ident("a variable");
    if (name == nullptr) return nullptr;
    if (name->has_template_list && !at(TokenKind::ParenLeft)) {
      error_expected("'(' after a template list");
      return nullptr;
    }
    core = at(TokenKind::ParenLeft) ? call_rest(name) : name;
  } else {
    error_expected("a variable or what a pointer points to");
  }
  if (core != nullptr) core = singular_rest(core);
  return apply_prefixes(prefixes, core);
}

const Expr* Parser::call_rest(const ast::Identifier* callee) {
  const Token open = next();
  const auto arguments = expression_comma_list(open, TokenKind::ParenRight);
  if (!arguments) return nullptr;
  const uint32_t height = std::max<uint32_t>(callee->height, highest(*arguments)) + 1;
  auto* e = make_expression<ast::Call>(ExprKind::Call, callee->span.begin, height);
  if (e == nullptr) return nullptr;
  e->callee = callee;
  e->args = *arguments;
  return e;
}

const ast::Identifier* Parser::template_elaborated_ident(std::string_view what) {
  const auto name = expect_identifier(what);
  if (!name) return nullptr;
  mentions_.mention(name->symbol, name->span);
  if (!at(TokenKind::TemplateStart)) {
    auto* e = make_expression<ast::Identifier>(ExprKind::Identifier, name->span.begin, 1);
    if (e != nullptr) e->symbol = name->symbol;
    return e;
  }
  const auto list = template_list();
  if (!list) return nullptr;
  auto* e = make_expression<ast::TemplatedIdentifier>(ExprKind::Identifier, name->span.begin, highest(*list) + 1);
  if (e == nullptr) return nullptr;
  e->symbol = name->symbol;
  e->has_template_list = true;
  e->args = *list;
  return e;
}

std::optional<std::span<const Expr* const>> Parser::template_list() {
  const Token open = next();
  if (at(TokenKind::TemplateEnd)) {
    error(cover(open.span(), peek().span()), "an empty template list: leave out '<>' or give an argument");
    return std::nullopt;
  }
  return expression_comma_list(open, TokenKind::TemplateEnd);
}

std::optional<std::span<const Expr* const>> Parser::expression_comma_list(const Token& open, TokenKind end) {
  Expressions list(expression_pool_);
  while (!at(end)) {
    const Expr* e = expression();
    if (e == nullptr) return std::nullopt;
    list.add(e);
    if (!accept(TokenKind::Comma)) break;
  }
  if (!expect_closing(end, open)) return std::nullopt;
  return list.finish(module_.arena);
}

}  // namespace kem::wgsl
