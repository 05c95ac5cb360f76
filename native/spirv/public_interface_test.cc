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

TEST(PublicInterface, RefusesTheSame) {
  for (const std::string text :
       {"void main() { uint x = subgroupAdd(1u); }", "void main() { float x = sin(1u, 2u); }", "void f() {}",
        "void f(); void main() { f(); }", "void f() { g(); }  void g() { f(); } void main() { f(); }",
        "layout(push_constant) uniform A { uint a; } a; layout(push_constant) uniform B { uint b; } b; void main() "
        "{}"}) {
    const std::string glsl = "#version 460\nlayout(local_size_x = 1) in;\n" + text + "\n";
    EXPECT_TRUE(public_way(glsl).empty()) << text;
    EXPECT_FALSE(compile(glsl)) << text;
  }
}

}  // namespace
}  // namespace kem::spirv
