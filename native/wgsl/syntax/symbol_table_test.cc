#include "wgsl/syntax/symbol_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace kem::wgsl {
namespace {

TEST(SymbolTable, EqualNamesAreOneSymbol) {
  Arena arena;
  SymbolTable symbols(arena);
  const std::string text = "x xy xyz x xyzw position positions position x";
  const auto name = [&](size_t begin, size_t size) {
    return symbols.intern(std::string_view(text).substr(begin, size));
  };
  const Symbol* x = name(0, 1);
  EXPECT_EQ(x->text, "x");
  EXPECT_EQ(x->id, 0u);
  EXPECT_EQ(name(2, 2)->id, 1u);
  EXPECT_EQ(name(9, 1), x);
  EXPECT_EQ(name(44, 1), x);
  const Symbol* position = name(16, 8);
  EXPECT_NE(name(25, 9), position);
  EXPECT_EQ(name(35, 8), position);
  EXPECT_EQ(symbols.count(), 4u);
}

// Of every length, equal but for one letter, and far more than the table begins with.
TEST(SymbolTable, ManyNamesStayApart) {
  std::vector<std::string> names;
  for (size_t size = 1; size <= 40; ++size) {
    for (size_t place = 0; place < size; ++place) {
      for (const char c : {'b', 'B', '_', '9'}) {
        names.emplace_back(size, 'a');
        names.back()[place] = c;
      }
    }
  }
  for (int k = 0; k < 5000; ++k) names.push_back("function_" + std::to_string(k));
  Arena arena;
  SymbolTable symbols(arena);
  std::vector<const Symbol*> made;
  made.reserve(names.size());
  for (const std::string& name : names) made.push_back(symbols.intern(name));
  EXPECT_EQ(symbols.count(), std::set<std::string>(names.begin(), names.end()).size());
  for (size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(made[k]->text, names[k]);
    EXPECT_EQ(symbols.intern(names[k]), made[k]);
  }
}

}  // namespace
}  // namespace kem::wgsl
