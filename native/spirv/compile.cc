#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "spirv/deep_stack.h"
#include "spirv/glslang_process.h"
#include "spirv/shape.h"
#include "spirv/spirv.h"

namespace kem::spirv {
namespace {

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

tl::unexpected<Error> too_large(const std::string& why) {
  return fail(ErrorClass::UnsupportedKernel, "the generated shader " + why);
}

tl::unexpected<Error> too_much(std::string_view what, size_t count, size_t most) {
  return too_large("has " + std::to_string(count) + " " + std::string(what) + ", over " + std::to_string(most));
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
  Parse parse(use.built_ins(), glsl);
  if (!parse.run()) {
    if (parse.is_too_large()) return too_large("takes too much memory to translate");
    return refusal("parse", parse.log(), glsl);
  }
  if (parse.constant_lookups(kMostConstantLookups) > kMostConstantLookups)
    return too_large("uses too many different constants or types too often");

  std::vector<unsigned int> words;
  words.reserve(glsl.size() / 2);
  spv::SpvBuildLogger logger;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(parse.tree(), words, &logger, &options);
  if (words.empty()) return refusal("SPIR-V", logger.getAllMessages(), glsl);
  return words;
}

bool is_for_readers(uint32_t opcode) {
  switch (opcode) {
    case 3:  // OpSource
    case 4:  // OpSourceExtension
    case 5:  // OpName
    case 6:  // OpMemberName
      return true;
    default:
      return false;
  }
}

void drop_names(std::vector<uint32_t>& words) {
  constexpr size_t kHeader = 5;
  auto kept = words.begin() + kHeader;
  for (auto at = kept; at != words.end();) {
    const auto next = at + (*at >> 16);
    if (!is_for_readers(*at & 0xffffu)) kept = kept == at ? next : std::copy(at, next, kept);
    at = next;
  }
  words.erase(kept, words.end());
}

Result<std::vector<uint32_t>> translate_on_enough_stack(std::string_view glsl) {
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

}  // namespace

Result<std::vector<uint32_t>> compile(std::string_view glsl, Names names) {
  auto words = translate_on_enough_stack(glsl);
  if (words && names == Names::Drop) drop_names(*words);
  return words;
}

void warm_up() { const GlslangUse use; }

void release() { finalize_glslang(); }

}  // namespace kem::spirv
