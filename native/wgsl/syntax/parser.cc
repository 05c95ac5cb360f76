#include "wgsl/syntax/parser.h"

#include "wgsl/syntax/foreign.h"
#include "wgsl/syntax/lexer.h"
#include "wgsl/syntax/parse.h"

namespace kem::wgsl {
namespace {

constexpr size_t kLongestQuote = 48;  // bytes of the source worth repeating in a message

std::string quote(std::string_view text) {
  if (text.size() <= kLongestQuote) return "'" + std::string(text) + "'";
  size_t end = kLongestQuote;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not amid a code point
  return "'" + std::string(text.substr(0, end)) + "...'";
}

}  // namespace

Parser::Parser(std::string_view text, std::vector<Token> tokens, const Limits& limits, Diagnostics& diagnostics,
               ast::Module& module)
    : text_(text),
      tokens_(std::move(tokens)),
      symbols_(module.arena),
      limits_(limits),
      diagnostics_(diagnostics),
      module_(module) {}

const Token& Parser::peek(size_t ahead) const {
  const size_t i = position_ + ahead;
  return i < tokens_.size() ? tokens_[i] : tokens_.back();
}

bool Parser::expect(TokenKind kind, std::string_view purpose) {
  if (accept(kind)) return true;
  std::string what = quote(spelling(kind));
  if (!purpose.empty()) what.append(" ").append(purpose);
  return error_expected(what);
}

std::optional<ast::Ident> Parser::no_identifier(std::string_view what) {
  const Token token = peek();
  if (token.kind == TokenKind::Reserved) {
    // Go on as if the name were fine, so that what follows is checked, too.
    const bool known = !foreign_word(text_of(token)).empty();
    error(token.span(),
          quote(text_of(token)) + (known ? " is a reserved word" : " is a reserved word: choose another name"));
    advise(token);
    next();
    return ast::Ident{symbols_.intern(text_of(token)), token.span()};
  }
  if (is_keyword(token.kind)) {
    error(token.span(), quote(text_of(token)) + " is a keyword and cannot be " + std::string(what));
    return std::nullopt;
  }
  error_expected(what);
  return std::nullopt;
}

std::string Parser::found() const {
  const Token& token = peek();
  if (token.kind == TokenKind::End) return "the end of the text";
  if (token.kind == TokenKind::Reserved) return "the reserved word " + quote(text_of(token));
  return quote(text_of(token));
}

bool Parser::error_expected(std::string_view what) {
  return error(peek().span(), "expected " + std::string(what) + ", found " + found());
}

bool Parser::error(Span span, std::string message, std::string note) {
  last_error_ = nullptr;
  if (at(TokenKind::Error)) return false;  // the lexer has said what is wrong here
  if (diagnostics_.full()) {
    stopped_ = true;
    return false;
  }
  last_error_ = &diagnostics_.error(span, std::move(message));
  if (!note.empty()) last_error_->notes.push_back({span, std::move(note)});
  stopped_ = diagnostics_.full();
  return false;
}

void Parser::add_note(Span span, std::string message) {
  if (last_error_ != nullptr) last_error_->notes.push_back({span, std::move(message)});
}

void Parser::advise(const Token& word) {
  const std::string_view note = foreign_word(text_of(word));
  if (!note.empty()) add_note(word.span(), std::string(note));
}

// The place to blame for a missing ';' is the end of what it should follow.
bool Parser::expect_semicolon(std::string_view after) {
  if (accept(TokenKind::Semicolon)) return true;
  if (at(TokenKind::Error)) return false;
  const Span here{previous_end_ > 0 ? previous_end_ - 1 : 0, previous_end_};
  error(here, "expected ';' after " + std::string(after) + ", found " + found());
  advise(peek());
  return false;
}

bool Parser::expect_closing(TokenKind kind, const Token& open) {
  if (accept(kind)) return true;
  error_expected(quote(spelling(kind)));
  if (at(TokenKind::Equal)) add_note(peek().span(), "'=' assigns, in a statement of its own: '==' compares");
  advise(peek());
  add_note(open.span(), quote(spelling(open.kind)) + " opened here");
  return false;
}

std::unique_ptr<const ast::Module> parse(const Source& source, const Limits& limits, Diagnostics& diagnostics) {
  if (source.text().size() > limits.source_bytes) {
    diagnostics.error({0, 0}, "the source has " + std::to_string(source.text().size()) + " bytes, the limit is " +
                                  std::to_string(limits.source_bytes));
    return nullptr;
  }
  std::vector<Token> tokens = lex(source, diagnostics);
  auto module = std::make_unique<ast::Module>();
  Parser(source.text(), std::move(tokens), limits, diagnostics, *module).translation_unit();
  if (diagnostics.has_errors()) return nullptr;
  return module;
}

}  // namespace kem::wgsl
