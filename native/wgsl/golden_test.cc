// Every test/golden/wgsl/*.wgsl to GLSL, compared with the .expected.glsl beside it. With KEM_UPDATE_GOLDENS set in
// the environment, the expectations are written instead. test/golden/run.py checks that glslang and spirv-val take
// them. A first line `//! count_loops` sets Options::count_loops, and so for the others
// below.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "wgsl/golden_files.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(KEM_SOURCE_DIR) / "test/golden/wgsl";

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, Glsl) {
  const std::string source = read_golden(kFolder / (GetParam() + ".wgsl"));
  Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.features.f16_immediates = true;
  options.count_loops = source.starts_with("//! count_loops\n");
  options.slow_array_constants = source.starts_with("//! slow_array_constants\n");
  options.misread_loop_exits = source.starts_with("//! misread_loop_exits\n");
  options.miscounted_subgroups = source.starts_with("//! miscounted_subgroups\n");
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
  EXPECT_EQ(shader->glsl, read_golden(expected));
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(golden_names(kFolder)),
                         [](const auto& golden) { return golden.param; });

TEST(GoldenFolder, IsNotEmpty) { EXPECT_GT(golden_names(kFolder).size(), 10u); }

}  // namespace
}  // namespace kem::wgsl
