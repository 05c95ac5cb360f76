// Statements that hold statements: blocks, if, switch and the loops (spec "Control Flow").
#include "wgsl/syntax/parser.h"

namespace kem::wgsl {

const ast::Compound* Parser::compound_statement(ast::Attributes decorations, std::string_view of) {
  Token open;
  if (!open_block(of, open)) return nullptr;
  const Mentions::Scope scope(mentions_);
  Statements list(statement_pool_);
  statement_list(list, Block::Plain);
  if (!close_block(open)) return nullptr;
  auto* block = make_node<ast::Compound>(ast::StmtKind::Compound);
  block->attributes = decorations;
  block->statements = list.finish(module_.arena);
  block->span = span_from(open.begin);
  return block;
}

// The body of a statement, which may have attributes of its own.
const ast::Compound* Parser::attributed_body(std::string_view of) {
  const auto decorations = attributes();
  return decorations ? compound_statement(*decorations, of) : nullptr;
}

// After an error ahead of a body: goes to the '{' of that body, if there is one before the statement ends.
bool Parser::recover_to_body() {
  uint32_t parentheses = 0;
  while (!stopped_) {
    switch (peek().kind) {
      case TokenKind::BraceLeft:
        return true;
      case TokenKind::End:
      case TokenKind::BraceRight:
        return false;
      case TokenKind::Semicolon:
        if (parentheses == 0) return false;
        break;
      case TokenKind::ParenLeft:
        ++parentheses;
        break;
      case TokenKind::ParenRight:
        if (parentheses > 0) --parentheses;
        break;
      default:
        break;
    }
    next();
  }
  return false;
}

const ast::Stmt* Parser::if_statement(ast::Attributes decorations) {
  ast::If* first = if_clause(decorations);
  if (first == nullptr) return nullptr;
  ast::If* last = first;
  while (accept(TokenKind::KwElse)) {
    if (at(TokenKind::KwIf)) {
      ast::If* clause = if_clause({});
      if (clause == nullptr) return nullptr;
      last->else_block = clause;
      last = clause;
    } else {
      last->else_block = attributed_body("the 'else' block");
      if (last->else_block == nullptr) return nullptr;
      break;
    }
  }
  first->span.end = previous_end_;
  const std::string_view word = at(TokenKind::Identifier) ? text_of(peek()) : std::string_view{};
  if (word == "elif" || word == "elseif" || word == "elsif") {
    error(peek().span(), "write 'else if' for '" + std::string(word) + "'");
    return nullptr;
  }
  return first;
}

ast::If* Parser::if_clause(ast::Attributes decorations) {
  const Token keyword = next();
  auto* clause = make_node<ast::If>(ast::StmtKind::If);
  clause->attributes = decorations;
  clause->condition = expression();
  if (clause->condition == nullptr && !recover_to_body()) return nullptr;
  clause->then_block = attributed_body("the 'if' block");
  clause->span = span_from(keyword.begin);
  return clause->then_block == nullptr ? nullptr : clause;
}

const ast::Stmt* Parser::while_statement(ast::Attributes decorations) {
  const Token keyword = next();
  auto* loop = make_node<ast::While>(ast::StmtKind::While);
  loop->attributes = decorations;
  loop->condition = expression();
  if (loop->condition == nullptr && !recover_to_body()) return nullptr;
  loop->body = attributed_body("the loop's body");
  loop->span = span_from(keyword.begin);
  return loop->body == nullptr ? nullptr : loop;
}

const ast::Stmt* Parser::for_statement(ast::Attributes decorations) {
  const Token keyword = next();
  auto* loop = make_node<ast::For>(ast::StmtKind::For);
  loop->attributes = decorations;
  const Mentions::Scope scope(mentions_);
  const size_t begin = position_;
  if (!for_header(*loop)) {
    if (!recover_from_header(begin)) return nullptr;
  }
  loop->body = attributed_body("the loop's body");
  loop->span = span_from(keyword.begin);
  return loop->body == nullptr ? nullptr : loop;
}

// The header's own ';' are no end of the statement: goes on after its ')'.
bool Parser::recover_from_header(size_t begin) {
  if (tokens_[begin].kind != TokenKind::ParenLeft) return recover_to_body();
  uint32_t open = 0;
  for (size_t i = begin; i < position_; ++i) {
    if (tokens_[i].kind == TokenKind::ParenLeft) ++open;
    if (tokens_[i].kind == TokenKind::ParenRight && open > 0) --open;
  }
  while (open > 0 && !at(TokenKind::End) && !at(TokenKind::BraceLeft) && !at(TokenKind::BraceRight)) {
    if (at(TokenKind::ParenLeft)) ++open;
    if (at(TokenKind::ParenRight)) --open;
    next();
  }
  return recover_to_body();
}

bool Parser::for_header(ast::For& loop) {
  const Token open = peek();
  if (!expect(TokenKind::ParenLeft, "after 'for'")) {
    if (at(TokenKind::Identifier)) add_note(peek().span(), "loops are written 'for (var i = 0; i < n; i++) { ... }'");
    return false;
  }
  if (!at(TokenKind::Semicolon)) {
    const TokenKind kind = peek().kind;
    const bool declares = kind == TokenKind::KwVar || kind == TokenKind::KwLet || kind == TokenKind::KwConst;
    loop.initializer = declares ? declaration_statement() : updating_or_call_statement();
    if (loop.initializer == nullptr) return false;
  }
  if (!expect_semicolon("the initializer of 'for'")) return false;
  if (!at(TokenKind::Semicolon)) {
    loop.condition = expression();
    if (loop.condition == nullptr) return false;
  }
  if (!expect_semicolon("the condition of 'for'")) return false;
  if (!at(TokenKind::ParenRight)) {
    loop.update = updating_or_call_statement();
    if (loop.update == nullptr) return false;
  }
  return expect_closing(TokenKind::ParenRight, open);
}

const ast::Stmt* Parser::loop_statement(ast::Attributes decorations) {
  const Token keyword = next();
  auto* loop = make_node<ast::Loop>(ast::StmtKind::Loop);
  loop->attributes = decorations;
  const auto body_attributes = attributes();
  Token open;
  if (!body_attributes || !open_block("the loop's body", open)) return nullptr;
  loop->body_attributes = *body_attributes;
  const Mentions::Scope scope(mentions_);
  Statements list(statement_pool_);
  statement_list(list, Block::Loop);
  bool good = true;
  if (at(TokenKind::KwContinuing)) {
    loop->continuing = continuing_statement();
    good = loop->continuing != nullptr;
    if (good && !at(TokenKind::BraceRight) && !unwinding_) {
      error_expected("'}': nothing may follow the 'continuing' block");
      good = false;
    }
    if (!good) statement_list(list, Block::Plain);
  }
  if (!close_block(open)) return nullptr;
  loop->statements = list.finish(module_.arena);
  loop->span = span_from(keyword.begin);
  return loop;
}

const ast::Continuing* Parser::continuing_statement() {
  const Token keyword = next();
  auto* result = module_.arena.make<ast::Continuing>();
  const auto decorations = attributes();
  Token open;
  if (!decorations || !open_block("the 'continuing' block", open)) return nullptr;
  result->attributes = *decorations;
  const Mentions::Scope scope(mentions_);
  Statements list(statement_pool_);
  statement_list(list, Block::Continuing);
  if (at(TokenKind::KwBreak)) {
    const size_t begin = position_;
    next();
    next();
    result->break_if = expression();
    const bool good = result->break_if != nullptr && expect_semicolon("'break if'");
    if (!good) recover_statement(begin);
    if (good && !at(TokenKind::BraceRight)) {
      error_expected("'}': 'break if' must be last in its block");
      statement_list(list, Block::Plain);
    }
  }
  if (!close_block(open)) return nullptr;
  result->statements = list.finish(module_.arena);
  result->span = span_from(keyword.begin);
  return result;
}

const ast::Stmt* Parser::switch_statement(ast::Attributes decorations) {
  const Token keyword = next();
  auto* result = make_node<ast::Switch>(ast::StmtKind::Switch);
  result->attributes = decorations;
  result->condition = expression();
  if (result->condition == nullptr && !recover_to_body()) return nullptr;
  const auto body_attributes = attributes();
  Token open;
  if (!body_attributes || !open_block("the clauses of 'switch'", open)) return nullptr;
  result->body_attributes = *body_attributes;
  std::vector<const ast::CaseClause*> clauses;
  while (!at(TokenKind::BraceRight) && !at(TokenKind::End) && !stopped_ && !unwinding_) {
    const size_t begin = position_;
    const ast::CaseClause* clause = switch_clause();
    if (clause != nullptr) {
      clauses.push_back(clause);
    } else if (!unwinding_) {
      recover_clause(begin);
    }
  }
  const bool none = clauses.empty() && at(TokenKind::BraceRight) && !diagnostics_.has_errors();
  if (none) error(keyword.span(), "this 'switch' has no clauses: it needs a 'default' at least");
  if (!close_block(open)) return nullptr;
  result->clauses = module_.arena.copy(clauses);
  result->span = span_from(keyword.begin);
  return result;
}

// Goes on at the next clause of the same switch, or before its '}'.
void Parser::recover_clause(size_t begin) {
  uint32_t depth = 0;
  while (!at(TokenKind::End) && !stopped_) {
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::KwFn || kind == TokenKind::KwStruct) return;
    if (depth == 0 && kind == TokenKind::BraceRight) return;
    const bool clause = kind == TokenKind::KwCase || kind == TokenKind::KwDefault;
    if (depth == 0 && clause && position_ > begin) return;
    next();
    if (kind == TokenKind::BraceLeft) ++depth;
    if (kind == TokenKind::BraceRight) --depth;
  }
}

const ast::CaseClause* Parser::switch_clause() {
  const Token keyword = peek();
  auto* clause = module_.arena.make<ast::CaseClause>();
  if (accept(TokenKind::KwDefault)) {
    clause->is_default_alone = true;
  } else if (accept(TokenKind::KwCase)) {
    if (!case_selectors(*clause)) return nullptr;
  } else {
    unwinding_ = keyword.kind == TokenKind::KwFn || keyword.kind == TokenKind::KwStruct;
    error_expected("'case', 'default' or '}'");
    return nullptr;
  }
  accept(TokenKind::Colon);
  clause->body = attributed_body(clause->is_default_alone ? "the 'default' block" : "the 'case' block");
  clause->span = span_from(keyword.begin);
  return clause->body == nullptr ? nullptr : clause;
}

bool Parser::case_selectors(ast::CaseClause& clause) {
  Expressions list(expression_pool_);
  do {
    if (list.size() > 0 && (at(TokenKind::Colon) || at(TokenKind::BraceLeft) || at(TokenKind::At))) break;
    if (accept(TokenKind::KwDefault)) {
      list.add(nullptr);
      continue;
    }
    const ast::Expr* selector = expression();
    if (selector == nullptr) return false;
    list.add(selector);
  } while (accept(TokenKind::Comma));
  clause.selectors = list.finish(module_.arena);
  return true;
}

}  // namespace kem::wgsl
