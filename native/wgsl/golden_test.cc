// Every test/golden/wgsl/*.wgsl to GLSL, compared with the .expected.glsl beside it. With KEM_UPDATE_GOLDENS set in
// the environment, the expectations are written instead. test/golden/run.py checks that glslang and spirv-val take
// them. A first line `//! count_loops` sets Options::count_loops, and so for slow_array_constants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(KEM_SOURCE_DIR) / "test/golden/wgsl";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".wgsl") list.push_back(entry.path().stem().string());
  }
  std::sort(list.begin(), list.end());
  return list;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, Glsl) {
  const std::string source = read(kFolder / (GetParam() + ".wgsl"));
  Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.features.f16_immediates = true;
  options.count_loops = source.starts_with("//! count_loops\n");
  options.slow_array_constants = source.starts_with("//! slow_array_constants\n");
  const Compilation compilation = compile(source, options, GetParam() + ".wgsl");
  ASSERT_TRUE(compilation.program.has_value()) << compilation.diagnostics;
  PipelineRequest request;
  request.entry_point = "";
  const Result<Shader> shader = generate(*compilation.program, request, options);
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  const Result<Shader> again = generate(*compilation.program, request, options);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(shader->glsl, again->glsl) << "the output differs from call to call";
  const fs::path expected = kFolder / (GetParam() + ".expected.glsl");
  if (std::getenv("KEM_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(expected, std::ios::binary) << shader->glsl;
    return;
  }
  EXPECT_EQ(shader->glsl, read(expected));
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(names()), [](const auto& golden) { return golden.param; });

TEST(GoldenFolder, IsNotEmpty) { EXPECT_GT(names().size(), 10u); }

}  // namespace
}  // namespace kem::wgsl
