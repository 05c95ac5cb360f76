// Tokens (spec "Tokens", "Keyword Summary", "Syntactic Tokens"). A token is a kind and a place in the source;
// what it says is the source text at that place.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"

namespace kem::wgsl {

// Syntactic token, spelling.
#define KEM_WGSL_PUNCTUATION(ROW) \
  ROW(And, "&")                   \
  ROW(AndAnd, "&&")               \
  ROW(AndEqual, "&=")             \
  ROW(Arrow, "->")                \
  ROW(At, "@")                    \
  ROW(Bang, "!")                  \
  ROW(BraceLeft, "{")             \
  ROW(BraceRight, "}")            \
  ROW(BracketLeft, "[")           \
  ROW(BracketRight, "]")          \
  ROW(Caret, "^")                 \
  ROW(CaretEqual, "^=")           \
  ROW(Colon, ":")                 \
  ROW(Comma, ",")                 \
  ROW(Equal, "=")                 \
  ROW(EqualEqual, "==")           \
  ROW(Greater, ">")               \
  ROW(GreaterEqual, ">=")         \
  ROW(Less, "<")                  \
  ROW(LessEqual, "<=")            \
  ROW(Minus, "-")                 \
  ROW(MinusEqual, "-=")           \
  ROW(MinusMinus, "--")           \
  ROW(NotEqual, "!=")             \
  ROW(Or, "|")                    \
  ROW(OrEqual, "|=")              \
  ROW(OrOr, "||")                 \
  ROW(ParenLeft, "(")             \
  ROW(ParenRight, ")")            \
  ROW(Percent, "%")               \
  ROW(PercentEqual, "%=")         \
  ROW(Period, ".")                \
  ROW(Plus, "+")                  \
  ROW(PlusEqual, "+=")            \
  ROW(PlusPlus, "++")             \
  ROW(Semicolon, ";")             \
  ROW(ShiftLeft, "<<")            \
  ROW(ShiftLeftEqual, "<<=")      \
  ROW(ShiftRight, ">>")           \
  ROW(ShiftRightEqual, ">>=")     \
  ROW(Slash, "/")                 \
  ROW(SlashEqual, "/=")           \
  ROW(Star, "*")                  \
  ROW(StarEqual, "*=")            \
  ROW(TemplateEnd, ">")           \
  ROW(TemplateStart, "<")         \
  ROW(Tilde, "~")                 \
  ROW(Underscore, "_")

// Keyword, spelling.
#define KEM_WGSL_KEYWORDS(ROW)       \
  ROW(KwAlias, "alias")              \
  ROW(KwBreak, "break")              \
  ROW(KwCase, "case")                \
  ROW(KwConst, "const")              \
  ROW(KwConstAssert, "const_assert") \
  ROW(KwContinue, "continue")        \
  ROW(KwContinuing, "continuing")    \
  ROW(KwDefault, "default")          \
  ROW(KwDiagnostic, "diagnostic")    \
  ROW(KwDiscard, "discard")          \
  ROW(KwElse, "else")                \
  ROW(KwEnable, "enable")            \
  ROW(KwFalse, "false")              \
  ROW(KwFn, "fn")                    \
  ROW(KwFor, "for")                  \
  ROW(KwIf, "if")                    \
  ROW(KwLet, "let")                  \
  ROW(KwLoop, "loop")                \
  ROW(KwOverride, "override")        \
  ROW(KwRequires, "requires")        \
  ROW(KwReturn, "return")            \
  ROW(KwStruct, "struct")            \
  ROW(KwSwitch, "switch")            \
  ROW(KwTrue, "true")                \
  ROW(KwVar, "var")                  \
  ROW(KwWhile, "while")

enum class TokenKind : uint8_t {
  End,         // of the text; every token list ends with one
  Error,       // text that is no token; a diagnostic has been added already
  Identifier,  // ident_pattern_token that is no keyword and no reserved word
  Reserved,    // reserved word
  Number,      // int_literal or float_literal
#define KEM_ROW(id, spelling) id,
  KEM_WGSL_PUNCTUATION(KEM_ROW) KEM_WGSL_KEYWORDS(KEM_ROW)
#undef KEM_ROW
};

struct Token {
  TokenKind kind = TokenKind::End;
  uint32_t begin = 0;  // byte offsets
  uint32_t end = 0;

  Span span() const { return {begin, end}; }
};

// What a keyword or syntactic token looks like; "" for the other kinds.
std::string_view spelling(TokenKind kind);

// Keyword, Reserved or Identifier, whichever `word` is (spec "Keywords", "Reserved Words").
TokenKind classify_word(std::string_view word);

inline bool is_keyword(TokenKind kind) { return kind >= TokenKind::KwAlias; }

}  // namespace kem::wgsl
