#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "spirv/deep_stack.h"
#include "spirv/glslang_process.h"
#include "spirv/resource_limits.h"
#include "spirv/shape.h"
#include "spirv/spirv.h"

namespace kem::spirv {
namespace {

constexpr EShMessages kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);

// The line that the first "ERROR: 0:<line>:" of a log blames.
std::optional<size_t> blamed_line(std::string_view log) {
  constexpr std::string_view kPrefix = "ERROR: 0:";
  const size_t at = log.find(kPrefix);
  if (at == std::string_view::npos) return std::nullopt;
  size_t line = 0;
  const char* const begin = log.data() + at + kPrefix.size();
  const auto parsed = std::from_chars(begin, log.data() + log.size(), line);
  if (parsed.ec != std::errc() || line == 0) return std::nullopt;
  return line;
}

std::string_view line_of(std::string_view text, size_t line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

// A generated line may be as long as the shader; a log entry should not.
std::string_view shortened(std::string_view text, size_t limit) { return text.substr(0, limit); }

tl::unexpected<Error> refusal(std::string_view what, std::string_view log, std::string_view glsl) {
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.remove_suffix(1);
  std::string message = "glslang refused the generated GLSL (" + std::string(what) + "):\n";
  message += shortened(log, 4000);
  if (const auto line = blamed_line(log)) {
    message += "\nGLSL line " + std::to_string(*line) + ": ";
    message += shortened(line_of(glsl, *line), 500);
  }
  return fail(ErrorClass::Internal, std::move(message));
}

// glslang walks its trees by recursion, up to 1.7 KiB of stack a level (measured), here taken as 4, and the blocks of
// its control flow, 224 bytes each and up to four of them for one word that branches, here taken as 2 KiB.
constexpr size_t kShallowLevels = 200;  // these fit any thread
constexpr size_t kShallowBranches = 128;
constexpr size_t kDeepStack = kMostExpressionLevels * 4096;
static_assert(kDeepStack >= kMostBranches * 2048);

tl::unexpected<Error> too_much(std::string_view what, size_t count, size_t most) {
  return fail(ErrorClass::UnsupportedKernel, "the generated shader has " + std::to_string(count) + " " +
                                                 std::string(what) + ", over " + std::to_string(most));
}

Status check_shape(std::string_view glsl, const Shape& shape) {
  if (glsl.size() > kMostBytes) return too_much("bytes", glsl.size(), kMostBytes);
  if (shape.expression_levels > kMostExpressionLevels)
    return too_much("levels in one expression", shape.expression_levels, kMostExpressionLevels);
  if (shape.functions > kMostFunctions) return too_much("functions and types", shape.functions, kMostFunctions);
  if (shape.branches > kMostBranches) return too_much("branches", shape.branches, kMostBranches);
  if (shape.literals > kMostLiterals) return too_much("different literals", shape.literals, kMostLiterals);
  return {};
}

Result<std::vector<uint32_t>> translate(std::string_view glsl) {
  const GlslangUse use;
  glslang::TShader shader(EShLangCompute);
  const char* const text = glsl.data();
  const int length = static_cast<int>(glsl.size());
  shader.setStringsWithLengths(&text, &length, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  if (!shader.parse(&resource_limits(), 460, ECoreProfile, false, true, kMessages))
    return refusal("parse", shader.getInfoLog(), glsl);

  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kMessages)) return refusal("link", program.getInfoLog(), glsl);

  std::vector<unsigned int> words;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &logger, &options);
  if (words.empty()) return refusal("SPIR-V", logger.getAllMessages(), glsl);
  return words;
}

}  // namespace

Result<std::vector<uint32_t>> compile(std::string_view glsl) {
  const Shape shape = measure_shape(glsl);
  KEM_CHECK(check_shape(glsl, shape));
  if (shape.expression_levels <= kShallowLevels && shape.branches <= kShallowBranches) return translate(glsl);
  struct Work {
    std::string_view glsl;
    Result<std::vector<uint32_t>> result;
  } work{glsl, {}};
  const auto run = [](void* argument) {
    auto* const it = static_cast<Work*>(argument);
    it->result = translate(it->glsl);
  };
  KEM_CHECK(on_deep_stack(kDeepStack, run, &work));
  return std::move(work.result);
}

void warm_up() {
  // One shader of the form that the writer generates: glslang keeps its symbol tables by version and stage.
  static_cast<void>(compile("#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n"));
}

void release() { finalize_glslang(); }

}  // namespace kem::spirv
