// Statements (spec "Statements") that hold no other statement, and recovery between statements.
#include "wgsl/syntax/foreign.h"
#include "wgsl/syntax/parser.h"
#include "wgsl/syntax/suggest.h"

namespace kem::wgsl {
namespace {

std::optional<ast::BinaryOp> compound_operator(TokenKind kind) {
  using K = TokenKind;
  using ast::BinaryOp;
  switch (kind) {
    case K::PlusEqual:
      return BinaryOp::Add;
    case K::MinusEqual:
      return BinaryOp::Subtract;
    case K::StarEqual:
      return BinaryOp::Multiply;
    case K::SlashEqual:
      return BinaryOp::Divide;
    case K::PercentEqual:
      return BinaryOp::Remainder;
    case K::AndEqual:
      return BinaryOp::And;
    case K::OrEqual:
      return BinaryOp::Or;
    case K::CaretEqual:
      return BinaryOp::Xor;
    case K::ShiftLeftEqual:
      return BinaryOp::ShiftLeft;
    case K::ShiftRightEqual:
      return BinaryOp::ShiftRight;
    default:
      return std::nullopt;
  }
}

constexpr std::string_view kStatementWords[] = {"break",   "const",  "const_assert", "continue", "continuing",
                                                "discard", "for",    "if",           "let",      "loop",
                                                "return",  "switch", "var",          "while"};

// Keywords that begin a statement: where reading may go on after an error.
bool begins_statement(TokenKind kind) {
  switch (kind) {
    case TokenKind::KwBreak:
    case TokenKind::KwConst:
    case TokenKind::KwConstAssert:
    case TokenKind::KwContinue:
    case TokenKind::KwContinuing:
    case TokenKind::KwDiscard:
    case TokenKind::KwFor:
    case TokenKind::KwIf:
    case TokenKind::KwLet:
    case TokenKind::KwLoop:
    case TokenKind::KwReturn:
    case TokenKind::KwSwitch:
    case TokenKind::KwVar:
    case TokenKind::KwWhile:
      return true;
    default:
      return false;
  }
}

bool only_at_module_scope(TokenKind kind) {
  switch (kind) {
    case TokenKind::KwAlias:
    case TokenKind::KwDiagnostic:
    case TokenKind::KwEnable:
    case TokenKind::KwFn:
    case TokenKind::KwOverride:
    case TokenKind::KwRequires:
    case TokenKind::KwStruct:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Parser::statement(Statements& list) {
  const auto decorations = attributes();
  if (!decorations) return false;
  const ast::Stmt* result = nullptr;
  switch (peek().kind) {
    case TokenKind::BraceLeft:
      result = compound_statement(*decorations, "a block");
      break;
    case TokenKind::KwIf:
      result = if_statement(*decorations);
      break;
    case TokenKind::KwSwitch:
      result = switch_statement(*decorations);
      break;
    case TokenKind::KwLoop:
      result = loop_statement(*decorations);
      break;
    case TokenKind::KwFor:
      result = for_statement(*decorations);
      break;
    case TokenKind::KwWhile:
      result = while_statement(*decorations);
      break;
    default:
      return refuse_attributes(*decorations, "this statement") && plain_statement(list);
  }
  if (result == nullptr) return false;
  list.add(result);
  return true;
}

bool Parser::plain_statement(Statements& list) {
  if (accept(TokenKind::Semicolon)) return true;
  const ast::Stmt* result = simple_statement();
  if (result == nullptr) return false;
  list.add(result);
  if (at(TokenKind::Semicolon)) {
    next();
    return true;
  }
  expect_semicolon("this statement");
  // A lone missing ';' at the end of a line spoils nothing that follows.
  const Token& token = peek();
  const std::string_view gap = text_.substr(previous_end_, token.begin - previous_end_);
  return token.kind == TokenKind::BraceRight || begins_statement(token.kind) ||
         (token.kind != TokenKind::Error && gap.find_first_of("\r\n") != std::string_view::npos);
}

// A statement that ends with ';', up to it.
const ast::Stmt* Parser::simple_statement() {
  const Token first = peek();
  const auto keyword_only = [&]<class T>(T*, ast::StmtKind kind) -> const ast::Stmt* {
    next();
    T* result = make_node<T>(kind);
    result->span = first.span();
    return result;
  };
  switch (first.kind) {
    case TokenKind::KwVar:
    case TokenKind::KwLet:
    case TokenKind::KwConst:
      return declaration_statement();
    case TokenKind::KwReturn:
      return return_statement();
    case TokenKind::KwBreak:
      if (peek(1).kind == TokenKind::KwIf) {
        misplaced_statement();
        return nullptr;
      }
      return keyword_only(static_cast<ast::Break*>(nullptr), ast::StmtKind::Break);
    case TokenKind::KwContinue:
      return keyword_only(static_cast<ast::Continue*>(nullptr), ast::StmtKind::Continue);
    case TokenKind::KwDiscard:
      return keyword_only(static_cast<ast::Discard*>(nullptr), ast::StmtKind::Discard);
    case TokenKind::KwConstAssert: {
      const ast::ConstAssert* assertion = const_assert();
      if (assertion == nullptr) return nullptr;
      auto* result = make_node<ast::ConstAssertStmt>(ast::StmtKind::ConstAssert);
      result->assertion = assertion;
      result->span = assertion->span;
      return result;
    }
    case TokenKind::Identifier:
    case TokenKind::Reserved:
    case TokenKind::ParenLeft:
    case TokenKind::Star:
    case TokenKind::And:
    case TokenKind::AndAnd:
    case TokenKind::Underscore:
      return updating_or_call_statement();
    default:
      misplaced_statement();
      return nullptr;
  }
}

const ast::Stmt* Parser::declaration_statement() {
  const ast::Variable* variable = nullptr;
  switch (peek().kind) {
    case TokenKind::KwVar:
      variable = variable_decl({});
      break;
    case TokenKind::KwLet:
      variable = value_decl(ast::VariableKind::Let, {});
      break;
    default:
      variable = value_decl(ast::VariableKind::Const, {});
      break;
  }
  if (variable == nullptr) return nullptr;
  mentions_.declare(variable->name.symbol);
  auto* result = make_node<ast::Declaration>(ast::StmtKind::Declaration);
  result->variable = variable;
  result->span = variable->span;
  return result;
}

const ast::Stmt* Parser::return_statement() {
  const Token keyword = next();
  auto* result = make_node<ast::Return>(ast::StmtKind::Return);
  if (!at(TokenKind::Semicolon) && !at(TokenKind::BraceRight)) {
    result->value = expression();
    if (result->value == nullptr) return nullptr;
  }
  result->span = span_from(keyword.begin);
  return result;
}

// variable_updating_statement | func_call_statement
const ast::Stmt* Parser::updating_or_call_statement() {
  const Token first = peek();
  if (accept(TokenKind::Underscore)) {
    if (!expect(TokenKind::Equal, "after '_'")) return nullptr;
    const ast::Expr* rhs = expression();
    if (rhs == nullptr) return nullptr;
    auto* result = make_node<ast::Phony>(ast::StmtKind::Phony);
    result->rhs = rhs;
    result->span = span_from(first.begin);
    return result;
  }
  const ast::Expr* lhs = lhs_expression();
  if (lhs == nullptr) return nullptr;
  if (at(TokenKind::PlusPlus) || at(TokenKind::MinusMinus)) {
    auto* result = make_node<ast::Increment>(ast::StmtKind::Increment);
    result->lhs = lhs;
    result->decrement = next().kind == TokenKind::MinusMinus;
    result->span = span_from(first.begin);
    return result;
  }
  if (at(TokenKind::Equal) || compound_operator(peek().kind)) return assignment(lhs, first.begin);
  if (lhs->kind == ast::ExprKind::Call && first.kind != TokenKind::ParenLeft) {
    auto* result = make_node<ast::CallStmt>(ast::StmtKind::Call);
    result->call = static_cast<const ast::Call*>(lhs);
    result->span = lhs->span;
    return result;
  }
  no_assignment(*lhs);
  return nullptr;
}

// What other languages have after `do`, so that its `while` is not taken for a loop without a body.
void Parser::skip_do_while() {
  if (compound_statement({}, "a block") != nullptr && accept(TokenKind::KwWhile)) expression();
}

// After what could be the left side of an assignment comes something else.
void Parser::no_assignment(const ast::Expr& lhs) {
  const std::string_view word =
      lhs.kind == ast::ExprKind::Identifier &&
              text_of(tokens_[position_ - 1]) == static_cast<const ast::Identifier&>(lhs).name()
          ? static_cast<const ast::Identifier&>(lhs).name()
          : std::string_view{};
  const bool reserved = !word.empty() && tokens_[position_ - 1].kind == TokenKind::Reserved;
  if (reserved) {  // that has been said
    if (word == "do" && at(TokenKind::BraceLeft)) skip_do_while();
    return;
  }
  const bool declares = at(TokenKind::Identifier) && !word.empty();
  error_expected(declares ? "'=' or another assignment" : "'=', '++' or another assignment");
  if (at(TokenKind::Arrow))
    add_note(peek().span(), "members are reached with '.', those of what a pointer points to too");
  if (at(TokenKind::Colon)) add_note(lhs.span, "declarations begin with 'var', 'let' or 'const'");
  if (word.empty()) return;
  const auto keyword = is_foreign_type(word) ? std::nullopt : suggest(word, kStatementWords);
  if (keyword) {
    add_note(lhs.span, "did you mean '" + std::string(*keyword) + "'?");
  } else if (declares) {
    add_note(lhs.span, "declarations begin with 'var', 'let' or 'const': 'let name: type = value;'");
    if (is_foreign_type(word)) add_note(lhs.span, std::string(foreign_word(word)));
  }
}

const ast::Stmt* Parser::assignment(const ast::Expr* lhs, uint32_t begin) {
  const Token op = next();
  const ast::Expr* rhs = expression();
  if (rhs == nullptr) return nullptr;
  auto* result = make_node<ast::Assign>(ast::StmtKind::Assign);
  const auto compound = compound_operator(op.kind);
  result->lhs = lhs;
  result->rhs = rhs;
  result->compound = compound.has_value();
  result->op = compound.value_or(ast::BinaryOp::Add);
  result->span = span_from(begin);
  return result;
}

bool Parser::misplaced_statement() {
  const Token token = peek();
  const std::string word(text_of(token));
  switch (token.kind) {
    case TokenKind::PlusPlus:
    case TokenKind::MinusMinus:
      return error(token.span(), "'" + word + "' stands after the variable: write 'x" + word + ";'");
    case TokenKind::KwElse:
      return error(token.span(), "this 'else' follows no 'if'");
    case TokenKind::KwCase:
    case TokenKind::KwDefault:
      return error(token.span(), "'" + word + "' only stands within 'switch'");
    case TokenKind::KwContinuing:
      return error(token.span(), "'continuing' only stands last in a 'loop'");
    case TokenKind::KwBreak:
      return error(token.span(), "'break if' only stands last in a 'continuing' block: write 'if ... { break; }'");
    case TokenKind::Number:
    case TokenKind::KwTrue:
    case TokenKind::KwFalse:
      error_expected("a statement");
      add_note(token.span(), "a function gives its result with 'return'");
      return false;
    default:
      return error_expected("a statement");
  }
}

void Parser::statement_list(Statements& list, Block block) {
  while (!at(TokenKind::BraceRight) && !at(TokenKind::End) && !stopped_ && !unwinding_) {
    if (block == Block::Loop && at(TokenKind::KwContinuing)) return;
    if (block == Block::Continuing && at(TokenKind::KwBreak) && peek(1).kind == TokenKind::KwIf) return;
    if (only_at_module_scope(peek().kind)) return;  // close_block reports it
    const size_t begin = position_;
    if (!statement(list) && !unwinding_) recover_statement(begin);
  }
}

// Goes on after the next ';' or block of the same level, or before what ends the level or begins a statement.
// `begin` is where the broken statement began; at least one token is consumed, unless it ends the level.
void Parser::recover_statement(size_t begin) {
  uint32_t depth = 0;
  while (!at(TokenKind::End) && !stopped_) {
    const TokenKind kind = peek().kind;
    if (only_at_module_scope(kind)) return;
    if (depth == 0 && kind == TokenKind::BraceRight) return;
    if (depth == 0 && position_ > begin && begins_statement(kind)) return;
    next();
    if (kind == TokenKind::Semicolon && depth == 0) return;
    if (kind == TokenKind::BraceLeft) ++depth;
    if (kind == TokenKind::BraceRight && --depth == 0) return;
  }
}

bool Parser::open_block(std::string_view of, Token& open) {
  open = peek();
  if (!accept(TokenKind::BraceLeft)) return expect(TokenKind::BraceLeft, "to begin " + std::string(of));
  if (block_depth_ > limits_.nesting_depth) {
    error(open.span(), "blocks nest more than " + std::to_string(limits_.nesting_depth) + " deep");
    stopped_ = true;
    return false;
  }
  ++block_depth_;
  return true;
}

bool Parser::close_block(const Token& open) {
  --block_depth_;
  if (accept(TokenKind::BraceRight)) return true;
  if (unwinding_ || stopped_) return false;
  unwinding_ = true;
  if (only_at_module_scope(peek().kind)) {
    error_expected("'}' or a statement");
    add_note(peek().span(), "'" + std::string(text_of(peek())) + "' only stands at module scope");
  } else {
    error_expected("'}'");
  }
  add_note(open.span(), "'{' opened here");
  return false;
}

}  // namespace kem::wgsl
