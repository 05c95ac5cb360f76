#include "wgsl/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <string>

#include "wgsl/syntax/number.h"
#include "wgsl/syntax/template_lists.h"
#include "wgsl/syntax/unicode.h"

namespace kem::wgsl {
namespace {

enum CharClass : uint8_t { kOther, kBlank, kWordStart, kDigit, kPunctuation };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (char c : {' ', '\t', '\n', '\v', '\f', '\r'}) classes[static_cast<unsigned char>(c)] = kBlank;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kWordStart;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kWordStart;
  classes['_'] = kWordStart;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (char c : std::string_view("&-@!{}[]^:,=><|()%.+;/*~")) classes[static_cast<unsigned char>(c)] = kPunctuation;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();

uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

// The ASCII characters that go on with a word.
constexpr std::array<bool, 256> make_word_characters() {
  std::array<bool, 256> in_word{};
  for (size_t c = 0; c < in_word.size(); ++c) in_word[c] = kClasses[c] == kWordStart || kClasses[c] == kDigit;
  return in_word;
}
constexpr std::array<bool, 256> kInWord = make_word_characters();

// The ASCII characters that neither end a line nor the text.
constexpr std::array<bool, 256> make_line_characters() {
  std::array<bool, 256> in_line{};
  for (size_t c = 1; c < 0x80; ++c) in_line[c] = c < '\n' || c > '\r';
  return in_line;
}
constexpr std::array<bool, 256> kInLine = make_line_characters();

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// What to say of a character that begins no token.
std::string describe_stray(std::string_view character) {
  switch (character[0]) {
    case '#':
      return "'#' is not used in WGSL: there is no preprocessor";
    case '\'':
    case '"':
      return "WGSL has no strings or characters";
    case '?':
      return "'?' is not used in WGSL: write 'select(if_false, if_true, condition)' for a conditional value";
    case '\\':
      return "'\\' is not used in WGSL: a statement may span lines as it is";
    default:
      return "'" + std::string(character) + "' is not used in WGSL";
  }
}

class Lexer {
 public:
  Lexer(const std::string& text, Diagnostics& diagnostics)
      : text_(text), begin_(text.c_str()), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    if (check_text()) {
      tokens_.reserve(text_.size() / 4 + 16);
      while (at_ < text_.size() && !stopped_) lexeme();
    }
    at_ = text_.size();
    add(TokenKind::End, at_);
    return std::move(tokens_);
  }

 private:
  // The text's end is a null character, which it does not hold: what looks for the end of something stops there.
  char at(size_t i) const { return begin_[i]; }

  Token token(TokenKind kind, size_t begin) const {
    return {kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  }
  // A token that began at `begin` has been read.
  void add(TokenKind kind, size_t begin) { tokens_.push_back(token(kind, begin)); }

  void error(size_t begin, size_t end, std::string message) {
    if (diagnostics_.full()) return;
    diagnostics_.error({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, std::move(message));
  }

  bool check_text() {
    if (const auto bad = find_invalid_utf8(text_)) {
      error(*bad, *bad + 1, "the text is not UTF-8 from here on");
      return false;
    }
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") {
      error(0, 3, "the text begins with a byte order mark, which WGSL does not allow");
      return false;
    }
    const size_t null = text_.find('\0');
    if (null == std::string_view::npos) return true;
    error(null, null + 1, "the text holds a null character (U+0000)");
    return false;
  }

  // Adds a token, or moves behind what stands between tokens.
  void lexeme() {
    const size_t begin = at_;
    switch (class_of(at(begin))) {
      case kBlank:
        at_ = blank_end(begin + 1);
        break;
      case kWordStart:
        add(word(), begin);
        break;
      case kDigit:
        add(number(), begin);
        break;
      case kPunctuation:
        if (const TokenKind kind = punctuation(); kind != kComment) lists_.add(token(kind, begin));
        break;
      default:
        other();
    }
  }

  static constexpr TokenKind kComment = TokenKind::End;  // no token

  TokenKind moved(size_t end, TokenKind kind) {
    at_ = end;
    return kind;
  }

  size_t blank_end(size_t i) const {
    while (class_of(at(i)) == kBlank) ++i;
    return i;
  }

  size_t word_end(size_t i) const {
    for (;;) {
      while (kInWord[static_cast<unsigned char>(at(i))]) ++i;
      if (is_ascii(at(i))) return i;
      const CodePoint c = decode_utf8(text_.substr(i));
      if (!is_xid_continue(c.value)) return i;
      i += c.length;
    }
  }

  TokenKind word() {
    const size_t begin = at_;
    at_ = word_end(begin);
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word[0] != '_') return classify_word(word);
    if (word.size() == 1) return TokenKind::Underscore;
    if (word[1] == '_') {
      error(begin, at_, "'" + std::string(word) + "' begins with two underscores, which no name may");
    }
    return classify_word(word);
  }

  TokenKind number() {
    const size_t begin = at_;
    const size_t length = scan_number(text_.substr(begin));
    at_ = word_end(begin + length);
    if (length == 0) {
      at_ = std::max(at_, begin + 2);
      error(begin, at_, "a hexadecimal literal needs a digit after '0x'");
      return TokenKind::Error;
    }
    if (at_ != begin + length) {
      const std::string literal(text_.substr(begin, at_ - begin));
      error(begin, at_, "'" + literal + "' is not a number: suffixes are i, u, f and h");
      return TokenKind::Error;
    }
    return TokenKind::Number;
  }

  // `op`, or `op=` where the next character is '='.
  TokenKind maybe_assign(TokenKind op, TokenKind assign) {
    return at(at_ + 1) == '=' ? moved(at_ + 2, assign) : moved(at_ + 1, op);
  }

  // As maybe_assign, or `twice` where the character is doubled.
  TokenKind maybe_twice(TokenKind op, TokenKind twice, TokenKind assign) {
    if (at(at_ + 1) == at(at_)) return moved(at_ + 2, twice);
    return maybe_assign(op, assign);
  }

  TokenKind punctuation() {
    using K = TokenKind;
    switch (at(at_)) {
      case '&':
        return maybe_twice(K::And, K::AndAnd, K::AndEqual);
      case '|':
        return maybe_twice(K::Or, K::OrOr, K::OrEqual);
      case '+':
        return maybe_twice(K::Plus, K::PlusPlus, K::PlusEqual);
      case '-':
        if (at(at_ + 1) == '>') return moved(at_ + 2, K::Arrow);
        return maybe_twice(K::Minus, K::MinusMinus, K::MinusEqual);
      case '=':
        return maybe_assign(K::Equal, K::EqualEqual);
      case '!':
        return maybe_assign(K::Bang, K::NotEqual);
      case '*':
        return maybe_assign(K::Star, K::StarEqual);
      case '%':
        return maybe_assign(K::Percent, K::PercentEqual);
      case '^':
        return maybe_assign(K::Caret, K::CaretEqual);
      case '<':
        if (at(at_ + 1) != '<') return maybe_assign(K::Less, K::LessEqual);
        return at(at_ + 2) == '=' ? moved(at_ + 3, K::ShiftLeftEqual) : moved(at_ + 2, K::ShiftLeft);
      case '/':
        if (at(at_ + 1) == '/') return line_comment();
        if (at(at_ + 1) == '*') return block_comment();
        return maybe_assign(K::Slash, K::SlashEqual);
      case '.':
        return class_of(at(at_ + 1)) == kDigit ? number() : moved(at_ + 1, K::Period);
      default:
        return moved(at_ + 1, bracket_or_separator(at(at_)));
    }
  }

  static TokenKind bracket_or_separator(char c) {
    switch (c) {
      case '@':
        return TokenKind::At;
      case '{':
        return TokenKind::BraceLeft;
      case '}':
        return TokenKind::BraceRight;
      case '[':
        return TokenKind::BracketLeft;
      case ']':
        return TokenKind::BracketRight;
      case '(':
        return TokenKind::ParenLeft;
      case ')':
        return TokenKind::ParenRight;
      case ':':
        return TokenKind::Colon;
      case ',':
        return TokenKind::Comma;
      case ';':
        return TokenKind::Semicolon;
      case '>':
        return TokenKind::Greater;
      default:
        return TokenKind::Tilde;
    }
  }

  size_t line_end(size_t i) const {
    for (;;) {
      while (kInLine[static_cast<unsigned char>(at(i))]) ++i;
      if (i >= text_.size()) return i;
      const CodePoint c = decode_utf8(text_.substr(i));
      if (is_line_break(c.value)) return i;
      i += c.length;
    }
  }

  TokenKind line_comment() { return moved(line_end(at_), kComment); }

  TokenKind block_comment() {
    const size_t begin = at_;
    size_t depth = 0;
    while (at_ < text_.size()) {
      if (at(at_) == '/' && at(at_ + 1) == '*') {
        ++depth;
        at_ += 2;
      } else if (at(at_) == '*' && at(at_ + 1) == '/') {
        at_ += 2;
        if (--depth == 0) return kComment;
      } else {
        ++at_;
      }
    }
    error(begin, begin + 2, "this block comment has no end: block comments nest, each '/*' needs its '*/'");
    return TokenKind::Error;
  }

  // Above ASCII: blankspace or an identifier. Everything else begins no token.
  void other() {
    const size_t begin = at_;
    const CodePoint c = decode_utf8(text_.substr(begin));
    if (is_blankspace(c.value)) {
      at_ += c.length;
    } else {
      add(is_xid_start(c.value) ? word() : stray(c), begin);
    }
  }

  TokenKind stray(CodePoint c) {
    const size_t begin = at_;
    const std::string_view character = text_.substr(begin, c.length);
    at_ += c.length;
    if (c.value == '#') {
      at_ = line_end(begin);
    } else if (c.value == '"' || c.value == '\'') {
      const size_t line = line_end(begin);
      const size_t quote = text_.find(character[0], at_);
      if (quote < line) at_ = quote + 1;
    }
    error(begin, at_, describe_stray(character));
    stopped_ = diagnostics_.full();  // no point in reading on
    return TokenKind::Error;
  }

  const std::string_view text_;
  const char* const begin_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  bool stopped_ = false;
  std::vector<Token> tokens_;
  TemplateLists lists_{tokens_};
};

}  // namespace

std::vector<Token> lex(const Source& source, Diagnostics& diagnostics) {
  return Lexer(source.text(), diagnostics).run();
}

}  // namespace kem::wgsl
