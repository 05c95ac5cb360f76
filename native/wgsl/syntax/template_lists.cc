#include "wgsl/syntax/template_lists.h"

namespace kem::wgsl {
namespace {

// ident_pattern_token matches keywords and reserved words, too; literals were skipped.
bool may_take_template(TokenKind kind) {
  if (kind == TokenKind::Identifier || kind == TokenKind::Reserved) return true;
  return is_keyword(kind) && kind != TokenKind::KwTrue && kind != TokenKind::KwFalse;
}

}  // namespace

void TemplateLists::add(Token token) {
  switch (token.kind) {
    case TokenKind::Less:
      if (!tokens_.empty() && may_take_template(tokens_.back().kind)) pending_.push_back({tokens_.size(), depth_});
      break;
    case TokenKind::Greater:
      return greater(token);
    case TokenKind::ParenLeft:
    case TokenKind::BracketLeft:
      ++depth_;
      break;
    case TokenKind::ParenRight:
    case TokenKind::BracketRight:
      drop_from_depth();
      if (depth_ > 0) --depth_;
      break;
    case TokenKind::Equal:
      if (join(token, TokenKind::Greater, TokenKind::GreaterEqual)) return;
      if (join(token, TokenKind::ShiftRight, TokenKind::ShiftRightEqual)) return clear();
      clear();
      break;
    case TokenKind::Semicolon:
    case TokenKind::BraceLeft:
    case TokenKind::Colon:
    case TokenKind::PlusEqual:
    case TokenKind::MinusEqual:
    case TokenKind::StarEqual:
    case TokenKind::SlashEqual:
    case TokenKind::PercentEqual:
    case TokenKind::AndEqual:
    case TokenKind::OrEqual:
    case TokenKind::CaretEqual:
    case TokenKind::ShiftLeftEqual:
      clear();
      break;
    case TokenKind::AndAnd:
    case TokenKind::OrOr:
      drop_from_depth();
      break;
    default:
      break;
  }
  tokens_.push_back(token);
}

void TemplateLists::greater(Token token) {
  if (!pending_.empty() && pending_.back().depth == depth_) {
    tokens_[pending_.back().token].kind = TokenKind::TemplateStart;
    pending_.pop_back();
    token.kind = TokenKind::TemplateEnd;
  } else if (join(token, TokenKind::Greater, TokenKind::ShiftRight)) {
    return;
  }
  tokens_.push_back(token);
}

// Joins `token` to the token before, if that is `left` and nothing stands between.
bool TemplateLists::join(Token token, TokenKind left, TokenKind joined) {
  if (tokens_.empty()) return false;
  Token& before = tokens_.back();
  if (before.kind != left || before.end != token.begin) return false;
  before.kind = joined;
  before.end = token.end;
  return true;
}

void TemplateLists::drop_from_depth() {
  while (!pending_.empty() && pending_.back().depth >= depth_) pending_.pop_back();
}

void TemplateLists::clear() {
  pending_.clear();
  depth_ = 0;
}

}  // namespace kem::wgsl
