#include "spirv/shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace kem::spirv {
namespace {

enum Class : uint8_t { kOther, kDigit, kLetter, kOperator };

constexpr auto kClasses = [] {
  std::array<Class, 256> classes{};
  for (char c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  for (char c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (char c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  classes['_'] = kLetter;
  for (const char c : std::string_view("+-*/%&|^<>=?!~.")) classes[c] = kOperator;
  return classes;
}();

Class class_of(char c) { return kClasses[static_cast<uint8_t>(c)]; }
bool is_digit(char c) { return class_of(c) == kDigit; }
bool is_word(char c) { return is_digit(c) || class_of(c) == kLetter; }
bool is_operator(char c) { return class_of(c) == kOperator; }

bool is_branch(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",   "else",    "for",   "while",    "do",     "switch",
                                         "case", "default", "break", "continue", "return", "discard"};
  return word.size() <= 8 && std::ranges::find(kWords, word) != std::end(kWords);
}

// Depth of the expressions of one statement. Every operator may be a level above all that its parentheses hold:
// a + b + c is a tree as deep as it has operators.
class Levels {
 public:
  void add_operator() { ++open_.back().operators; }
  void open() {
    add_operator();
    open_.emplace_back();
  }
  void close() {
    if (open_.size() == 1) return;
    const size_t inner = open_.back().depth();
    open_.pop_back();
    open_.back().nested = std::max(open_.back().nested, inner);
  }
  // Arguments stand side by side.
  void separate() {
    Open& current = open_.back();
    current.before = current.depth();
    current.operators = 0;
    current.nested = 0;
  }
  size_t end_statement() {
    while (open_.size() > 1) close();
    const size_t depth = open_.back().depth();
    open_.back() = {};
    return depth;
  }

 private:
  struct Open {
    size_t operators = 0;  // since the last comma
    size_t nested = 0;     // deepest parenthesis since the last comma
    size_t before = 0;     // deepest argument before the last comma
    size_t depth() const { return std::max(before, operators + nested); }
  };
  std::vector<Open> open_{1};
};

}  // namespace

Shape measure_shape(std::string_view glsl) {
  Shape shape;
  Levels levels;
  std::unordered_set<std::string_view> literals;
  size_t braces = 0;
  for (size_t at = 0; at < glsl.size();) {
    const char c = glsl[at];
    if (is_word(c)) {
      const size_t begin = at;
      while (at < glsl.size() && (is_word(glsl[at]) || (is_digit(c) && glsl[at] == '.'))) ++at;
      const std::string_view word = glsl.substr(begin, at - begin);
      if (is_digit(c)) literals.insert(word);
      if (is_branch(word)) ++shape.branches;
      continue;
    }
    ++at;
    if (c == '(' || c == '[') levels.open();
    if (c == ')' || c == ']') levels.close();
    if (c == ',') levels.separate();
    if (is_operator(c)) levels.add_operator();
    if (c == '?' || ((c == '&' || c == '|') && at < glsl.size() && glsl[at] == c)) ++shape.branches;
    if (c == '{' && braces++ == 0) ++shape.functions;
    if (c == '}' && braces != 0) --braces;
    if (c == ';' || c == '{' || c == '}')
      shape.expression_levels = std::max(shape.expression_levels, levels.end_statement());
  }
  shape.expression_levels = std::max(shape.expression_levels, levels.end_statement());
  shape.literals = literals.size();
  return shape;
}

}  // namespace kem::spirv
