// What kem says of typical mistakes: every test/golden/mistakes/*.wgsl, the whole rendered text, compared with the
// .expected.txt beside it. With KEM_UPDATE_GOLDENS set in the environment, the expectations are written instead.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "wgsl/golden_files.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(KEM_SOURCE_DIR) / "test/golden/mistakes";

// The style of a message: begins in lower case (or with a quoted name), no full stop.
void expect_style(const std::string& rendered) {
  std::istringstream lines(rendered);
  for (std::string line; std::getline(lines, line);) {
    const bool note = line.find(" note: ") != std::string::npos;
    const size_t kind = note ? line.find(" note: ") : line.find(" error: ");
    if (kind == std::string::npos || line.starts_with("  ")) continue;
    const std::string message = line.substr(line.find(": ", kind) + 2);
    ASSERT_FALSE(message.empty());
    const bool name = message.starts_with("WGSL");
    EXPECT_TRUE(name || std::isupper(static_cast<unsigned char>(message.front())) == 0) << line;
    EXPECT_NE(message.back(), '.') << line;
  }
}

class Mistakes : public ::testing::TestWithParam<std::string> {};

TEST_P(Mistakes, Text) {
  Options options;
  options.features.f16 = true;
  const Compilation compilation = compile(read_golden(kFolder / (GetParam() + ".wgsl")), options, GetParam() + ".wgsl");
  EXPECT_FALSE(compilation.program.has_value());
  expect_style(compilation.diagnostics);
  const fs::path expected = kFolder / (GetParam() + ".expected.txt");
  if (std::getenv("KEM_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(expected, std::ios::binary) << compilation.diagnostics;
    return;
  }
  EXPECT_EQ(compilation.diagnostics, read_golden(expected));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Mistakes, ::testing::ValuesIn(golden_names(kFolder)), test_name);

TEST(MistakesFolder, HoldsSixtyAtLeast) { EXPECT_GE(golden_names(kFolder).size(), 60u); }

TEST(MistakesLimit, StopsAfterTwentyFive) {
  std::string source = "fn f() {\n";
  for (int i = 0; i < 40; ++i) source += "  let a" + std::to_string(i) + " = nowhere" + std::to_string(i) + ";\n";
  const Compilation compilation = compile(source + "}\n", {});
  size_t errors = 0;
  for (size_t at = 0; (at = compilation.diagnostics.find(" error: ", at)) != std::string::npos; ++at) ++errors;
  EXPECT_EQ(errors, 25u);
}

}  // namespace
}  // namespace kem::wgsl
