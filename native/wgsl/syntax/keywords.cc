// The words that cannot be identifiers, in a hash table built by the compiler.
#include <array>
#include <cstddef>

#include "wgsl/syntax/token.h"

namespace kem::wgsl {
namespace {

struct Word {
  std::string_view spelling;
  TokenKind kind = TokenKind::Identifier;
};

constexpr Word kKeywords[] = {
#define KEM_ROW(id, spelling) {spelling, TokenKind::id},
    KEM_WGSL_KEYWORDS(KEM_ROW)
#undef KEM_ROW
};

// Spec "Reserved Words".
constexpr std::string_view kReserved[] = {"NULL",
                                          "Self",
                                          "abstract",
                                          "active",
                                          "alignas",
                                          "alignof",
                                          "as",
                                          "asm",
                                          "asm_fragment",
                                          "async",
                                          "attribute",
                                          "auto",
                                          "await",
                                          "become",
                                          "cast",
                                          "catch",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "coherent",
                                          "column_major",
                                          "common",
                                          "compile",
                                          "compile_fragment",
                                          "concept",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "crate",
                                          "debugger",
                                          "decltype",
                                          "delete",
                                          "demote",
                                          "demote_to_helper",
                                          "do",
                                          "dynamic_cast",
                                          "enum",
                                          "explicit",
                                          "export",
                                          "extends",
                                          "extern",
                                          "external",
                                          "fallthrough",
                                          "filter",
                                          "final",
                                          "finally",
                                          "friend",
                                          "from",
                                          "fxgroup",
                                          "get",
                                          "goto",
                                          "groupshared",
                                          "highp",
                                          "impl",
                                          "implements",
                                          "import",
                                          "inline",
                                          "instanceof",
                                          "interface",
                                          "layout",
                                          "lowp",
                                          "macro",
                                          "macro_rules",
                                          "match",
                                          "mediump",
                                          "meta",
                                          "mod",
                                          "module",
                                          "move",
                                          "mut",
                                          "mutable",
                                          "namespace",
                                          "new",
                                          "nil",
                                          "noexcept",
                                          "noinline",
                                          "nointerpolation",
                                          "non_coherent",
                                          "noncoherent",
                                          "noperspective",
                                          "null",
                                          "nullptr",
                                          "of",
                                          "operator",
                                          "package",
                                          "packoffset",
                                          "partition",
                                          "pass",
                                          "patch",
                                          "pixelfragment",
                                          "precise",
                                          "precision",
                                          "premerge",
                                          "priv",
                                          "protected",
                                          "pub",
                                          "public",
                                          "readonly",
                                          "ref",
                                          "regardless",
                                          "register",
                                          "reinterpret_cast",
                                          "require",
                                          "resource",
                                          "restrict",
                                          "self",
                                          "set",
                                          "shared",
                                          "sizeof",
                                          "smooth",
                                          "snorm",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "std",
                                          "subroutine",
                                          "super",
                                          "target",
                                          "template",
                                          "this",
                                          "thread_local",
                                          "throw",
                                          "trait",
                                          "try",
                                          "type",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "typeof",
                                          "union",
                                          "unless",
                                          "unorm",
                                          "unsafe",
                                          "unsized",
                                          "use",
                                          "using",
                                          "varying",
                                          "virtual",
                                          "volatile",
                                          "wgsl",
                                          "where",
                                          "with",
                                          "writeonly",
                                          "yield"};

constexpr size_t kSlots = 1024;
constexpr size_t kLongest = 18;  // demote_to_helper, reinterpret_cast, noncoherent ...

// Of the length and four characters, not empty: these tell most words apart.
constexpr size_t hash(std::string_view word) {
  const auto at = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(word[i])); };
  const size_t last = word.size() - 1;
  const size_t h = word.size() + at(0) * 31 + at(last / 2) * 331 + at(last - last / 4) * 3331 + at(last) * 33331;
  return (h ^ (h >> 10)) % kSlots;
}

constexpr std::array<Word, kSlots> make_table() {
  std::array<Word, kSlots> table{};
  const auto insert = [&table](std::string_view spelling, TokenKind kind) {
    size_t slot = hash(spelling);
    while (!table[slot].spelling.empty()) slot = (slot + 1) % kSlots;
    table[slot] = {spelling, kind};
  };
  for (const Word& word : kKeywords) insert(word.spelling, word.kind);
  for (std::string_view word : kReserved) insert(word, TokenKind::Reserved);
  return table;
}

constexpr std::array<Word, kSlots> kTable = make_table();

// By first character, the lengths of the words: one look tells most names from them.
constexpr std::array<uint32_t, 256> make_lengths() {
  std::array<uint32_t, 256> lengths{};
  for (const Word& word : kTable) {
    if (!word.spelling.empty()) lengths[static_cast<unsigned char>(word.spelling[0])] |= 1u << word.spelling.size();
  }
  return lengths;
}
constexpr std::array<uint32_t, 256> kLengths = make_lengths();

bool has_length(char first, size_t length) { return (kLengths[static_cast<unsigned char>(first)] >> length & 1u) != 0; }

constexpr bool none_longer() {
  for (const Word& word : kTable) {
    if (word.spelling.size() > kLongest) return false;
  }
  return true;
}
static_assert(none_longer());

}  // namespace

std::string_view spelling(TokenKind kind) {
  switch (kind) {
#define KEM_ROW(id, text) \
  case TokenKind::id:     \
    return text;
    KEM_WGSL_PUNCTUATION(KEM_ROW)
    KEM_WGSL_KEYWORDS(KEM_ROW)
#undef KEM_ROW
    case TokenKind::End:
    case TokenKind::Error:
    case TokenKind::Identifier:
    case TokenKind::Reserved:
    case TokenKind::Number:
      return "";
  }
  return "";
}

TokenKind classify_word(std::string_view word) {
  if (word.empty() || word.size() > kLongest || !has_length(word[0], word.size())) return TokenKind::Identifier;
  for (size_t slot = hash(word); !kTable[slot].spelling.empty(); slot = (slot + 1) % kSlots) {
    if (kTable[slot].spelling == word) return kTable[slot].kind;
  }
  return TokenKind::Identifier;
}

}  // namespace kem::wgsl
