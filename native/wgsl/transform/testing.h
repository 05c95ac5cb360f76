// For tests of passes: what becomes of a module, as its text before and after.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <string>

#include "wgsl/ir/testing.h"
#include "wgsl/transform/rewrite.h"

namespace kem::wgsl::transform {

// Values are numbered in the order in which the text has them. As the module numbers them depends on the order in
// which compilers evaluate a call's arguments.
inline std::string renumbered(const std::string& text) {
  std::map<std::string, size_t> numbers;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '%') {
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
      out += '%' + std::to_string(numbers.emplace(text.substr(at, end - at), numbers.size()).first->second);
    } else {
      out += text[at];
    }
    at = end;
  }
  return out;
}

// The entry point's instructions before the pass, a line "=>", and those after it. The module is valid both times.
template <class Pass>
std::string change(ir::TestModule& t, const Pass& pass) {
  if (falls_through(t.entry->body)) t.b.simple(ir::Op::Return);
  EXPECT_EQ(ir::verify(t.module), "");
  const std::string before = t.body();
  pass();
  EXPECT_EQ(ir::verify(t.module), "");
  return renumbered("\n" + before + "=>\n" + t.body());
}
inline std::string change(ir::TestModule& t, Rewriter pass) {
  return change(t, [&] {
    for (ir::Function* f : t.module.functions) pass.run(*f);
  });
}

// A pass that changes nothing leaves the same on both sides of the "=>".
inline bool is_unchanged(const std::string& change) {
  const size_t middle = change.find("=>\n");
  return change.substr(1, middle - 1) == change.substr(middle + 3);
}

}  // namespace kem::wgsl::transform
