#include "core/compiler.h"

#include <gtest/gtest.h>

#include <string>

#include "base/digest.h"

namespace kem::core {
namespace {

// Different for each number, of so many bytes.
std::string kernel(size_t number, size_t bytes) {
  std::string text =
      "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { o[0] = " +
      std::to_string(number) + "; }\n//";
  text.resize(bytes, ' ');
  return text;
}

void compile(Compiler& compiler, const std::string& source) {
  StageTimes times;
  ShaderRequest request;
  request.source = source;
  request.digest = sha256(source);
  request.entry_point = "main";
  const auto compiled = compiler.compile(request, times);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_FALSE(compiled->spirv.empty());
}

TEST(Compiler, KeepsCheckedProgramsByTheirSize) {
  const auto compiler = make_compiler({});
  for (size_t k = 0; k < 200; ++k) compile(*compiler, kernel(k, 1000));
  EXPECT_EQ(compiler->cached_programs(), 128u);
  for (size_t k = 0; k < 5; ++k) compile(*compiler, kernel(k, 900 << 10));
  EXPECT_LE(compiler->cached_programs(), 20u);
  for (size_t k = 0; k < 3; ++k) compile(*compiler, kernel(k, 1 << 20));
  EXPECT_EQ(compiler->cached_programs(), 2u);
}

}  // namespace
}  // namespace kem::core
