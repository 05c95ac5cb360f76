#include "spirv/spirv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace kem::spirv {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDouble = R"(#version 460
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer In { uint a[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint b[]; };
layout(push_constant, std430) uniform Base { uvec4 base; uvec4 count; };
void main() {
  uint i = (gl_WorkGroupID.x + base.x) * 256u + gl_LocalInvocationID.x;
  if (i < uint(b.length())) b[i] = a[i] * 2u;
}
)";

std::string disassembly(std::string_view glsl) {
  const auto words = compile(glsl);
  if (!words) return words.error().message;
  const auto text = disassemble(*words);
  return text ? *text : text.error().message;
}

TEST(Compile, GivesValidSpirv13) {
  const auto words = compile(kDouble);
  ASSERT_TRUE(words) << words.error().message;
  ASSERT_GT(words->size(), 5u);
  EXPECT_EQ((*words)[0], 0x07230203u);
  EXPECT_EQ((*words)[1], 0x00010300u);
  const auto valid = validate(*words);
  EXPECT_TRUE(valid) << valid.error().message;
}

TEST(Compile, SameTextSameWords) { EXPECT_EQ(*compile(kDouble), *compile(kDouble)); }

TEST(Compile, RefusalIsInternalAndQuotesTheLine) {
  const auto words = compile("#version 460\nlayout(local_size_x = 1) in;\nvoid main() {\n  uint x = nowhere;\n}\n");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().error_class, ErrorClass::Internal);
  EXPECT_THAT(words.error().message, HasSubstr("'nowhere' : undeclared identifier"));
  EXPECT_THAT(words.error().message, HasSubstr("GLSL line 4:   uint x = nowhere;"));
}

TEST(Compile, RefusalOfALongLineIsShort) {
  const auto words = compile("#version 460\nvoid main() { nowhere = 1" + std::string(100'000, ' ') + "; }\n");
  ASSERT_FALSE(words);
  EXPECT_LT(words.error().message.size(), 6000u);
}

TEST(Compile, RefusesWhatIsNotGlsl) {
  for (const std::string_view text : {std::string_view(""), std::string_view("\0\0\0", 3), std::string_view("}{"),
                                      std::string_view("#version 460\nvoid helper() {}\n")}) {
    const auto words = compile(text);
    ASSERT_FALSE(words) << text;
    EXPECT_EQ(words.error().error_class, ErrorClass::Internal);
  }
}

TEST(Compile, LimitsOfGlslangDoNotBind) {
  const auto words = compile(R"(#version 460
layout(local_size_x = 2048, local_size_y = 4, local_size_z = 128) in;
shared uint big[1048576];
layout(set = 0, binding = 1000, std430) buffer Out { uint b[]; };
void main() { big[gl_LocalInvocationIndex] = 1u; barrier(); b[0] = big[5]; }
)");
  EXPECT_TRUE(words) << words.error().message;
}

TEST(Compile, ManyThreadsAtOnce) {
  const auto expected = compile(kDouble);
  ASSERT_TRUE(expected);
  std::array<int, 6> wrong{};
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (int round = 0; round < 10; ++round) {
          const auto words = compile(kDouble);
          if (!words || *words != *expected || !validate(*words)) ++count;
        }
      });
  }
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST(Release, MayRaceWithUsers) {
  const auto expected = compile(kDouble);
  ASSERT_TRUE(expected);
  std::array<int, 2> wrong{};
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round)
          if (const auto words = compile(kDouble); !words || *words != *expected) ++count;
      });
    for (int round = 0; round < 3; ++round) release();
  }
  release();
  release();
  for (const int count : wrong) EXPECT_EQ(count, 0);
  warm_up();
  EXPECT_EQ(*compile(kDouble), *expected);
}

TEST(Validate, RefusesABrokenModule) {
  auto words = compile(kDouble);
  ASSERT_TRUE(words);
  words->resize(words->size() - 1);  // OpFunctionEnd is gone
  const auto status = validate(*words);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().error_class, ErrorClass::Internal);
  EXPECT_THAT(status.error().message, HasSubstr("invalid SPIR-V"));
  EXPECT_FALSE(validate({}));
}

TEST(Validate, KnowsVulkansOwnRules) {
  // Valid SPIR-V, but Vulkan wants a storage class decoration set for every buffer.
  auto words = compile(kDouble);
  ASSERT_TRUE(words);
  std::vector<uint32_t> without_bindings(words->begin(), words->begin() + 5);
  for (size_t at = 5; at < words->size();) {
    const uint32_t length = (*words)[at] >> 16;
    const bool is_binding = ((*words)[at] & 0xffffu) == 71 && (*words)[at + 2] == 33;  // OpDecorate, Binding
    if (!is_binding) without_bindings.insert(without_bindings.end(), words->begin() + at, words->begin() + at + length);
    at += length;
  }
  ASSERT_LT(without_bindings.size(), words->size());
  EXPECT_FALSE(validate(without_bindings));
}

TEST(Disassemble, PrintsTheModule) {
  const std::string text = disassembly(kDouble);
  EXPECT_THAT(text, HasSubstr("OpEntryPoint GLCompute %main \"main\""));
  EXPECT_THAT(text, HasSubstr("LocalSize 256 1 1"));
}

TEST(Disassemble, RefusesNonsense) {
  const std::array<uint32_t, 3> words{1, 2, 3};
  const auto text = disassemble(words);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().error_class, ErrorClass::Internal);
}

}  // namespace
}  // namespace kem::spirv
