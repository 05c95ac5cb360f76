#include <array>
#include <cstddef>

#include "wgsl/syntax/lexer.h"

namespace kem::wgsl {
namespace {

// The specification's algorithm walks code points; on tokens the steps are the same, because literals, comments
// and the operators '<<', '<=', '!=', '==', '&&' and '||' are already single tokens. '<=' after something other
// than an identifier is taken as a comparison, too (the algorithm's assumption 4).
constexpr auto kMatters = [] {
  using K = TokenKind;
  std::array<bool, 256> matters{};
  for (const K kind :
       {K::Less,         K::Greater,   K::ParenLeft, K::BracketLeft, K::ParenRight,     K::BracketRight, K::Equal,
        K::Semicolon,    K::BraceLeft, K::Colon,     K::PlusEqual,   K::MinusEqual,     K::StarEqual,    K::SlashEqual,
        K::PercentEqual, K::AndEqual,  K::OrEqual,   K::CaretEqual,  K::ShiftLeftEqual, K::AndAnd,       K::OrOr}) {
    matters[static_cast<size_t>(kind)] = true;
  }
  return matters;
}();

class TemplateListFinder {
 public:
  explicit TemplateListFinder(std::vector<Token>& tokens) : tokens_(tokens) {}

  void run() {
    for (const Token token : tokens_) {
      if (kMatters[static_cast<size_t>(token.kind)]) {
        step(token);
      } else {
        put(token);
      }
    }
    tokens_.resize(out_);
  }

 private:
  struct Candidate {
    size_t token;
    uint32_t depth;
  };

  // Tokens only ever merge, so the output is written over the input.
  void put(Token token) { tokens_[out_++] = token; }

  void step(Token token) {
    switch (token.kind) {
      case TokenKind::Less:
        if (out_ > 0 && may_take_template(tokens_[out_ - 1].kind)) pending_.push_back({out_, depth_});
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
    put(token);
  }

  // ident_pattern_token matches keywords and reserved words, too; literals were skipped.
  static bool may_take_template(TokenKind kind) {
    if (kind == TokenKind::Identifier || kind == TokenKind::Reserved) return true;
    return is_keyword(kind) && kind != TokenKind::KwTrue && kind != TokenKind::KwFalse;
  }

  void greater(Token token) {
    if (!pending_.empty() && pending_.back().depth == depth_) {
      tokens_[pending_.back().token].kind = TokenKind::TemplateStart;
      pending_.pop_back();
      token.kind = TokenKind::TemplateEnd;
    } else if (join(token, TokenKind::Greater, TokenKind::ShiftRight)) {
      return;
    }
    put(token);
  }

  // Joins `token` to the token before, if that is `left` and nothing stands between.
  bool join(Token token, TokenKind left, TokenKind joined) {
    if (out_ == 0) return false;
    Token& before = tokens_[out_ - 1];
    if (before.kind != left || before.end != token.begin) return false;
    before.kind = joined;
    before.end = token.end;
    return true;
  }

  void drop_from_depth() {
    while (!pending_.empty() && pending_.back().depth >= depth_) pending_.pop_back();
  }

  void clear() {
    pending_.clear();
    depth_ = 0;
  }

  std::vector<Token>& tokens_;
  size_t out_ = 0;
  uint32_t depth_ = 0;
  std::vector<Candidate> pending_;
};

}  // namespace

void find_template_lists(std::vector<Token>& tokens) { TemplateListFinder(tokens).run(); }

}  // namespace kem::wgsl
