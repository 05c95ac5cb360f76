#include "spirv/spirv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <bit>
#include <cstdio>
#include <functional>
#include <random>
#include <thread>

#include "spirv/shape.h"

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
  const auto words = compile(glsl, Names::Keep);
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

TEST(Compile, DropsNamesAndNothingElse) {
  const auto count = [](const std::vector<uint32_t>& words, bool names) {
    size_t found = 0;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const uint32_t opcode = words[at] & 0xffffu;
      found += (opcode >= 3 && opcode <= 6) == names ? 1 : 0;
    }
    return found;
  };
  const auto named = compile(kDouble, Names::Keep), bare = compile(kDouble);
  ASSERT_TRUE(named && bare);
  EXPECT_GT(count(*named, true), 5u);
  EXPECT_EQ(count(*bare, true), 0u);
  EXPECT_EQ(count(*bare, false), count(*named, false));
  EXPECT_TRUE(validate(*bare));
}

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
    threads.reserve(wrong.size());
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
    threads.reserve(wrong.size());
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

std::string store(std::string_view expression) {
  return "#version 460\nlayout(local_size_x = 1) in;\n"
         "layout(set = 0, binding = 0, std430) buffer F { float f[]; };\n"
         "layout(set = 0, binding = 1, std430) buffer U { uint u[]; };\n"
         "void main() { float x = f[9]; float y = f[8]; " +
         std::string(expression) + "; }\n";
}

// Whether the module has a 32-bit constant with these bits.
bool has_constant(const std::vector<uint32_t>& words, uint32_t bits) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffffu) == 43 && words[at] >> 16 == 4 && words[at + 3] == bits) return true;  // OpConstant
  return false;
}

TEST(Literals, NineDigitsAreExact) {
  std::mt19937 random(1);
  std::vector<uint32_t> patterns{0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
                                 0x7f7fffff, 0xff7fffff, 0x3f800001, 0x4b800001, 0x3dcccccd, 0x3eaaaaab};
  while (patterns.size() < 300) {
    const auto bits = static_cast<uint32_t>(random());
    if ((bits & 0x7f800000u) != 0x7f800000u) patterns.push_back(bits);
  }
  for (const uint32_t bits : patterns) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "f[0] = %.8e", static_cast<double>(std::bit_cast<float>(bits)));
    const auto words = compile(store(text.data()));
    ASSERT_TRUE(words) << words.error().message;
    EXPECT_TRUE(has_constant(*words, bits)) << text.data();
  }
}

TEST(Folding, IsInDoublePrecision) {
  const auto words = compile(store("f[0] = 1e20 * 1e20 - 1e40"));
  ASSERT_TRUE(words);
  EXPECT_TRUE(has_constant(*words, 0));
  EXPECT_FALSE(has_constant(*words, 0x7fc00000));
}

TEST(Folding, BitCastsAndVariablesStay) {
  EXPECT_THAT(disassembly(store("f[0] = uintBitsToFloat(0x7fc00000u)")),
              HasSubstr("OpBitcast %float %uint_2143289344"));
  EXPECT_THAT(disassembly(store("f[0] = x * 0.0")), HasSubstr("OpFMul"));
  EXPECT_THAT(disassembly(store("f[0] = x - x")), HasSubstr("OpFSub"));
  EXPECT_THAT(disassembly(store("f[0] = x * y + 1.0")), Not(HasSubstr("NoContraction")));
  EXPECT_THAT(disassembly(store("precise float r = x * y + 1.0; f[0] = r")), HasSubstr("NoContraction"));
}

TEST(Folding, IntegersWrap) {
  const auto words =
      compile(store("u[0] = 0xffffffffu * 0xfffffffdu; u[1] = 7u / 0u; u[2] = 9u % 0u; u[3] = 1u << 37u"));
  ASSERT_TRUE(words);
  for (const uint32_t value : {3u, 0xffffffffu, 9u, 32u}) EXPECT_TRUE(has_constant(*words, value)) << value;
}

// On a thread with the least stack that compile() promises to do with.
Result<std::vector<uint32_t>> on_small_stack(const std::string& glsl) {
  Result<std::vector<uint32_t>> words;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  std::function<void()> work = [&] { words = compile(glsl); };
  pthread_t thread{};
  const auto enter = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  const int code = pthread_create(&thread, &attributes, enter, &work);
  EXPECT_EQ(code, 0);
  if (code == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return words;
}

std::string repeated(std::string_view text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Depth, SafeNestingCompiles) {
  const size_t n = kSafeNesting;
  for (const std::string& text :
       {repeated("(", n) + "u[1] = u[0]" + repeated(")", n), repeated("u[", n) + "0" + repeated("]", n) + " = 1u",
        "u[0] = " + repeated("(u[0] + ", n) + "1u" + repeated(")", n),
        "u[0] = " + repeated("max(u[0], ", n) + "1u" + repeated(")", n),
        repeated("if (u[0] > 1u) {", n) + "u[1] = 1u;" + repeated("}", n),
        "if (u[0] > 1u) {}" + repeated(" else if (u[1] > 1u) { u[2] = 1u; }", n),
        repeated("for (;;) { if (u[0] > 1u) break; ", n) + repeated("}", n),
        repeated("switch (u[0]) { case 1u: {", n) + "u[1] = 1u;" + repeated("break; } default: { break; } }", n)}) {
    const auto words = compile(store(text));
    EXPECT_TRUE(words) << text.substr(0, 60) << words.error().message;
  }
}

TEST(Depth, LongChainsCompileOnSmallStacksOrAreRefused) {
  struct Case {
    std::string text;
    bool compiles;
  } cases[] = {{store("u[0] = u[1]" + repeated(" + u[1]", 4000)), true},
               {store("u[0] = u[1]" + repeated(" + u[1]", 200'000)), false},
               {store(repeated("(", 200'000)), false}};
  for (const Case& each : cases) {
    const auto words = on_small_stack(each.text);
    EXPECT_EQ(words.has_value(), each.compiles);
    if (!words) {
      EXPECT_EQ(words.error().error_class, ErrorClass::UnsupportedKernel) << words.error().message;
    }
  }
}

// The SPIR-V builder goes through the blocks recursively, whatever their nesting.
TEST(Depth, ManyBranchesCompileOnSmallStacks) {
  const size_t n = kMostBranches / 5;
  for (const std::string& text :
       {repeated("if (u[0] > 1u) u[1] = 1u; else u[1] = 2u;", n), repeated("for (;;) { if (u[0] > 1u) break; }", n),
        repeated("switch (u[0]) { case 1u: { break; } default: { break; } }", n),
        "bool b = u[0] > 1u;" + repeated("b = b && u[1] > 1u || u[2] > 1u;", n)}) {
    const auto words = on_small_stack(store(text));
    EXPECT_TRUE(words) << text.substr(0, 60) << words.error().message;
  }
}

TEST(Depth, CostlyShadersAreRefused) {
  std::string functions = "#version 460\n";
  for (size_t i = 0; i <= kMostFunctions; ++i) functions += "void f" + std::to_string(i) + "() {}\n";
  std::string literals;
  for (size_t i = 0; i <= kMostLiterals; ++i) literals += "u[0] += " + std::to_string(i) + "u;";
  const std::string bytes = store("u[0] = u[1];" + std::string(kMostBytes, ' '));
  const std::string branches = store(repeated("if (u[0] > 1u) u[1] = 1u;", kMostBranches + 1));
  for (const std::string& text : {functions + "void main() {}\n", store(literals), bytes, branches}) {
    const auto words = compile(text);
    ASSERT_FALSE(words);
    EXPECT_EQ(words.error().error_class, ErrorClass::UnsupportedKernel);
  }
}

TEST(Shape, LevelsAreNeverUnderestimated) {
  EXPECT_EQ(measure_shape("a + b + c").expression_levels, 2u);
  EXPECT_EQ(measure_shape("f(a, b + c, d)").expression_levels, 2u);
  EXPECT_EQ(measure_shape("f(a + b) + c; d").expression_levels, 3u);
  EXPECT_EQ(measure_shape("((a)))))").expression_levels, 2u);
  EXPECT_EQ(measure_shape("vec2(" + repeated("-1, ", 500) + "1)").expression_levels, 2u);
  const Shape shape = measure_shape("struct A { int a; }; void f() { { 1u; 1u; 2.5; } }");
  EXPECT_EQ(shape.functions, 2u);
  EXPECT_EQ(shape.literals, 2u);
  EXPECT_EQ(measure_shape("if (a && b || c) break; else x = iffy ? a & b : 1;").branches, 6u);
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
