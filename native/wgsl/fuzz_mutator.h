// For the fuzz programs alone: mutations of WGSL that keep most of it a program. Bytes changed at random seldom get
// past the parser; tokens moved, replaced by their like and spliced from another input do. The words come from the
// front-end's own tables, so there is no dictionary to keep in step with them.
//
// A program that includes this gets libFuzzer's LLVMFuzzerCustomMutator and LLVMFuzzerCustomCrossOver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/sem/builtin.h"
#include "wgsl/sem/extensions.h"
#include "wgsl/syntax/lexer.h"
#include "wgsl/syntax/token.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace kem::wgsl::fuzz {

using Words = std::vector<std::string>;

// Spellings of literals at the edges of their types.
inline constexpr std::string_view kNumbers[] = {
    "0",     "1",           "2",     "3",         "7",           "31",         "32",          "33",
    "64",    "255",         "65535", "65536",     "2147483647",  "2147483648", "0u",          "1u",
    "32u",   "4294967295u", "0i",    "1i",        "2147483647i", "4294967295", "4294967296",  "0.0",
    "1.0",   "0.5",         "-0.0",  "3.4e38f",   "1e-45f",      "1e39",       "1e308",       "65504h",
    "6e-8h", "1h",          "1f",    "0x1p-149f", "0xffffffff",  "0x80000000", "0x7fffffffi", "9223372036854775807",
    "1e400", "012",         "1.5e",  "0x1.8p3"};

// Pieces of programs, each a place where rules meet.
inline constexpr std::string_view kPieces[] = {
    "@group(0) @binding(0) var<storage, read_write> b: array<u32>;",
    "@group(0) @binding(1) var<uniform> u: vec4<f32>;",
    "var<workgroup> w: array<atomic<u32>, 4>;",
    "var<private> p: mat3x3<f32>;",
    "override o: u32 = 2;",
    "@id(1) override q: f32;",
    "const c = array(1, 2, 3);",
    "const_assert c[1] == 2;",
    "alias T = vec3<i32>;",
    "struct S { a: u32, @align(16) b: vec3<f32>, @size(32) c: i32 }",
    "struct R { n: atomic<i32>, r: array<vec2<f32>> }",
    "fn f(a: i32, p: ptr<function, i32>) -> i32 { *p += a; return *p; }",
    "fn g(p: ptr<storage, array<u32>, read_write>, i: u32) { p[i] = i; }",
    "@compute @workgroup_size(1) fn main() { }",
    "@compute @workgroup_size(o, 2) fn other(@builtin(global_invocation_id) id: vec3<u32>) { }",
    "enable f16;",
    "enable subgroups;",
    "diagnostic(off, derivative_uniformity);",
    "if a < 1 { } else if b { } else { }",
    "for (var i = 0u; i < 4u; i++) { if i == 2u { continue; } }",
    "loop { if a { break; } continuing { i += 1; break if i > 3; } }",
    "while true { break; }",
    "switch x { case 0, 1: { } case default: { return; } }",
    "switch x { default { } }",
    "var v: array<vec4<f32>, 3>;",
    "let t = &v[i];",
    "let k = *t;",
    "(*t).x = 1.0;",
    "v[i].y += f32(k);",
    "_ = select(a, b, c);",
    "workgroupBarrier();",
    "let z = workgroupUniformLoad(&w);",
    "atomicAdd(&w[0], 1u);",
    "let e = atomicCompareExchangeWeak(&w[1], 0u, 1u).exchanged;",
    "b[arrayLength(&b) - 1u] = 5u;",
    "let m = mat2x2<f32>(1, 2, 3, 4) * vec2(1.0);",
    "let h = frexp(1.5).exp;",
    "return;",
    "discard;"};

// clang-format off
inline constexpr std::string_view kOtherWords[] = {
    "i32", "u32", "f32", "f16", "bool", "vec2", "vec3", "vec4", "vec2f", "vec3u", "vec4i", "vec4h", "mat2x2",
    "mat3x3", "mat4x4", "mat2x3f", "mat4x2h", "array", "atomic", "ptr", "sampler", "texture_2d", "texture_storage_2d",
    "rgba8unorm", "function", "private", "workgroup", "uniform", "storage", "read", "write", "read_write", "main",
    "group", "binding", "builtin", "compute", "vertex", "fragment", "workgroup_size", "align", "size", "id",
    "location", "must_use", "invariant", "interpolate", "blend_src", "x", "xy", "wzyx", "rgba", "off", "error",
    "warning", "info", "derivative_uniformity", "subgroup_uniformity"};
// clang-format on

enum class Kind : uint8_t { Name, Number, Operator, Open, Close, Keyword, Other };

inline Kind kind_of(std::string_view word) {
  const auto first = static_cast<unsigned char>(word.empty() ? 0 : word[0]);
  if (first == '(' || first == '[' || first == '{') return Kind::Open;
  if (first == ')' || first == ']' || first == '}') return Kind::Close;
  if ((first >= '0' && first <= '9') || (first == '.' && word.size() > 1)) return Kind::Number;
  if (first == '_' || (first | 0x20u) - 'a' < 26u || first >= 0x80) {
    return is_keyword(classify_word(word)) ? Kind::Keyword : Kind::Name;
  }
  return word == ";" || word == "," ? Kind::Other : Kind::Operator;
}

// The front-end's tables, sorted by what may stand in for what.
struct Vocabulary {
  std::vector<std::string_view> names, numbers, operators, keywords;

  static const Vocabulary& get() {
    static const Vocabulary instance;
    return instance;
  }
  std::span<const std::string_view> like(Kind kind) const {
    switch (kind) {
      case Kind::Name:
        return names;
      case Kind::Number:
        return numbers;
      case Kind::Keyword:
        return keywords;
      default:
        return operators;
    }
  }

 private:
  Vocabulary() : numbers(std::begin(kNumbers), std::end(kNumbers)) {
#define KEM_ROW(id, spelling) add(spelling);
    KEM_WGSL_PUNCTUATION(KEM_ROW)
    KEM_WGSL_KEYWORDS(KEM_ROW)
    KEM_WGSL_BUILTINS(KEM_ROW)
    KEM_WGSL_BUILTIN_VALUES(KEM_ROW)
    KEM_WGSL_ENABLE_EXTENSIONS(KEM_ROW)
    KEM_WGSL_LANGUAGE_EXTENSIONS(KEM_ROW)
#undef KEM_ROW
    for (const std::string_view word : kOtherWords) add(word);
  }
  void add(std::string_view word) {
    const Kind kind = kind_of(word);
    (kind == Kind::Name ? names : kind == Kind::Keyword ? keywords : operators).push_back(word);
  }
};

inline Words split(std::string_view text) {
  const Source source{std::string(text)};
  Diagnostics ignored;
  Words words;
  for (const Token& token : lex(source, ignored)) {
    if (token.end > token.begin) words.emplace_back(text.substr(token.begin, token.end - token.begin));
  }
  return words;
}

// One blank between words, a line break after ; { and }.
inline std::string join(const Words& words, size_t max_size) {
  std::string text;
  for (const std::string& word : words) {
    if (text.size() + word.size() + 1 > max_size) break;
    text += word;
    text += word == ";" || word == "{" || word == "}" ? '\n' : ' ';
  }
  return text;
}

class Mutator {
 public:
  Mutator(Words words, unsigned seed) : words_(std::move(words)), random_(seed) {}

  void mutate() {
    for (size_t left = 1 + below(4); left > 0; --left) once();
  }
  // Takes a piece of another program.
  void splice(const Words& other) {
    if (other.empty()) return;
    const auto [begin, end] = piece(other);
    const Words taken(other.begin() + static_cast<ptrdiff_t>(begin), other.begin() + static_cast<ptrdiff_t>(end));
    if (below(2) == 0) {
      put(below(words_.size() + 1), taken);
    } else {
      replace_piece(taken);
    }
  }
  const Words& words() const { return words_; }

 private:
  size_t below(size_t n) { return n == 0 ? 0 : random_() % n; }
  std::string_view any(std::span<const std::string_view> list) { return list[below(list.size())]; }

  void once() {
    switch (words_.empty() ? 6 : below(10)) {
      case 0:
        erase(below(words_.size()), 1 + below(4));
        break;
      case 1:  // another word of the same kind, from the tables
      case 2:
        if (const Kind kind = kind_of(pick()); kind != Kind::Open && kind != Kind::Close) {
          words_[at_] = any(Vocabulary::get().like(kind));
        }
        break;
      case 3:  // another word of the same kind, from this program
      case 4:
        replace_by_own(kind_of(pick()));
        break;
      case 5:
        std::swap(pick(), words_[below(words_.size())]);
        break;
      case 6:
        put(statement_begin(), split(any(kPieces)));
        break;
      case 7: {
        const auto [begin, end] = piece(words_);
        put(below(words_.size() + 1), copy(begin, end));
        break;
      }
      case 8: {
        const auto [begin, end] = piece(words_);
        replace_piece(copy(begin, end));
        break;
      }
      default: {
        const auto [begin, end] = piece(words_);
        erase(begin, end - begin);
        break;
      }
    }
  }
  std::string& pick() {
    at_ = below(words_.size());
    return words_[at_];
  }
  Words copy(size_t begin, size_t end) const {
    return {words_.begin() + static_cast<ptrdiff_t>(begin), words_.begin() + static_cast<ptrdiff_t>(end)};
  }
  void put(size_t at, const Words& taken) {
    if (words_.size() + taken.size() > 4096) return;
    words_.insert(words_.begin() + static_cast<ptrdiff_t>(at), taken.begin(), taken.end());
  }
  void erase(size_t at, size_t count) {
    const size_t end = std::min(words_.size(), at + count);
    words_.erase(words_.begin() + static_cast<ptrdiff_t>(at), words_.begin() + static_cast<ptrdiff_t>(end));
  }
  void replace_by_own(Kind kind) {
    for (int tries = 0; tries < 8; ++tries) {
      const std::string& word = words_[below(words_.size())];
      if (kind_of(word) != kind || word == words_[at_]) continue;
      words_[at_] = std::string(word);
      return;
    }
  }
  void replace_piece(const Words& taken) {
    const auto [begin, end] = piece(words_);
    erase(begin, end - begin);
    put(begin, taken);
  }
  size_t statement_begin() {
    size_t at = below(words_.size() + 1);
    while (at > 0 && words_[at - 1] != ";" && words_[at - 1] != "{" && words_[at - 1] != "}") --at;
    return at;
  }
  // A balanced stretch: an operand, what a bracket encloses, or a whole statement or declaration.
  std::pair<size_t, size_t> piece(const Words& list) {
    if (list.empty()) return {0, 0};
    size_t begin = below(list.size());
    const bool whole = below(2) == 0;
    if (whole) {
      while (begin > 0 && list[begin - 1] != ";" && list[begin - 1] != "{" && list[begin - 1] != "}") --begin;
    }
    size_t depth = 0;
    for (size_t end = begin; end < list.size(); ++end) {
      const Kind kind = kind_of(list[end]);
      if (kind == Kind::Open) ++depth;
      if (kind == Kind::Close && depth > 0) --depth;
      if (depth > 0) continue;
      if (!whole || list[end] == ";" || list[end] == "}") return {begin, end + 1};
    }
    return {begin, list.size()};
  }

  Words words_;
  std::minstd_rand random_;
  size_t at_ = 0;
};

inline size_t store(const Words& words, uint8_t* data, size_t max_size) {
  const std::string text = join(words, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace kem::wgsl::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  using namespace kem::wgsl::fuzz;
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  Mutator mutator(split({reinterpret_cast<const char*>(data), size}), seed);
  mutator.mutate();
  return store(mutator.words(), data, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2, size_t size2,
                                            uint8_t* out, size_t max_out_size, unsigned int seed) {
  using namespace kem::wgsl::fuzz;
  Mutator mutator(split({reinterpret_cast<const char*>(data1), size1}), seed);
  mutator.splice(split({reinterpret_cast<const char*>(data2), size2}));
  return store(mutator.words(), out, max_out_size);
}
