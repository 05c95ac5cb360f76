// spirv::compile() parses with glslang's inner classes (built_ins.h): it must give what the public interface gives,
// word for word, for every GLSL that the golden tests of the front-end expect.
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "spirv/resource_limits.h"
#include "spirv/spirv.h"

namespace kem::spirv {
namespace {

std::string read(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<uint32_t> public_way(const std::string& glsl) {
  constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  glslang::TShader shader(EShLangCompute);
  const char* const text = glsl.c_str();
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  if (!shader.parse(&resource_limits(), 460, ECoreProfile, false, true, kMessages)) return {};
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kMessages)) return {};
  std::vector<uint32_t> words;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &options);
  return words;
}

// main() calls g() first and then many others.
std::string many_calls(const std::string& g) {
  std::string text = "float f(const float x);\n" + g + "\nfloat f(const float x) { return g(x); }\n";
  std::string calls = "float s = g(1.0);";
  for (size_t n = 0; n < 100; ++n) {
    const std::string name = "f" + std::to_string(n);
    text += "float " + name + "(const float x) { return x + 1.0; }\n";
    calls += " s += " + name + "(s);";
  }
  return text + "void main() { " + calls + " }";
}

TEST(PublicInterface, GivesTheSameWords) {
  warm_up();
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KEM_SOURCE_DIR "/test/golden/wgsl")) {
    if (entry.path().extension() != ".glsl") continue;
    const std::string glsl = read(entry.path());
    const auto words = compile(glsl, Names::Keep);
    ASSERT_TRUE(words) << entry.path() << words.error().message;
    EXPECT_EQ(*words, public_way(glsl)) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 10u);
}

// One that takes some MiB of glslang's memory and a stack of its own, and calls more functions from main()
// than are looked through at once, some of them twice.
TEST(PublicInterface, GivesTheSameWordsForALargeShader) {
  const size_t count = 800;
  std::ostringstream functions, main;
  functions << "#version 460\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { float a[]; } b;\n";
  for (size_t n = 0; n < count; ++n) {
    functions << "float f" << n << "(const float x, inout float y) {\n  for (int i = 0; i < " << n
              << "; ++i) { y += x * 0.5 + float(i); if (y > 3.0) return max(x, y - 1.0); }\n  return y;\n}\n";
    main << "  s += f" << n << "(s, t) + f" << n / 2 << "(t, s);\n";
  }
  const std::string glsl =
      functions.str() + "void main() {\n  float s = 0.0, t = b.a[1];\n" + main.str() + "  b.a[0] = s;\n}\n";
  ASSERT_GT(glsl.size(), 128u << 10);
  const auto words = compile(glsl, Names::Keep);
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(*words, public_way(glsl));
}

TEST(PublicInterface, GivesTheSameWordsForPreciseVariables) {
  for (const std::string text :
       {"void main() { precise float r = b.a[0] * b.a[1] + 1.0; b.a[2] = r; }",
        "void main() { float p = b.a[0] * b.a[1]; precise float r = p + 1.0; b.a[2] = r; }",
        "precise float f(const float x) { return x * 3.0 + 1.0; } void main() { b.a[2] = f(b.a[0]); }"}) {
    const std::string glsl =
        "#version 460\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { float a[]; } b;\n" + text + "\n";
    const auto words = compile(glsl, Names::Keep);
    ASSERT_TRUE(words) << words.error().message;
    EXPECT_EQ(*words, public_way(glsl)) << text;
  }
}

constexpr auto kTwoBlocks =
    "layout(push_constant) uniform A { uint a; } a;\n"
    "layout(push_constant) uniform B { uint b; } b; void main() {}";

TEST(PublicInterface, RefusesTheSame) {
  for (const std::string& text : std::vector<std::string>{
           "void main() { uint x = subgroupAdd(1u); }", "void main() { float x = sin(1u, 2u); }", "void f() {}",
           "void f(); void main() { f(); }", "void f() { g(); }  void g() { f(); } void main() { f(); }", kTwoBlocks,
           many_calls("float g(const float x) { return f(x); }"), many_calls("float g(const float x);")}) {
    const std::string glsl = "#version 460\nlayout(local_size_x = 1) in;\n" + text + "\n";
    EXPECT_TRUE(public_way(glsl).empty()) << text;
    EXPECT_FALSE(compile(glsl)) << text;
  }
}

}  // namespace
}  // namespace kem::spirv
