#include "cli/checker.h"

#include "cli/arguments.h"
#include "cli/translate.h"
#include "spirv/spirv.h"

namespace kem::cli {
namespace {

constexpr std::string_view kMarker = "//!pipeline";
constexpr std::string_view kBlanks = " \t\r";

// Takes the next word off the line; "" at its end.
std::string_view next_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  line.remove_prefix(begin);
  const size_t end = std::min(line.find_first_of(kBlanks), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

Status check_pipeline(const wgsl::Program& program, wgsl::PipelineRequest request, const wgsl::Options& options,
                      std::vector<LocatedDiagnostic>& diagnostics) {
  if (request.entry_point.empty()) request.entry_point = default_entry_point(program);
  KEM_TRY(const wgsl::Shader shader, wgsl::generate(program, request, options, &diagnostics));
  KEM_TRY([[maybe_unused]] const auto words, spirv::compile(shader.glsl));
#ifndef NDEBUG
  KEM_CHECK(spirv::validate(words));
#endif
  return {};
}

}  // namespace

CheckResult check_source(std::string source, const std::string& name,
                         const std::optional<wgsl::PipelineRequest>& request, const wgsl::Options& options) {
  wgsl::Compilation compilation = wgsl::compile(std::move(source), options, name);
  CheckResult result{compilation.program.has_value(), std::move(compilation.diagnostics),
                     std::move(compilation.located)};
  if (!result.valid || !request) return result;
  std::vector<LocatedDiagnostic> diagnostics;
  const Status done = check_pipeline(*compilation.program, *request, options, diagnostics);
  if (done) return result;
  const Error& error = done.error();
  const bool rendered = error.error_class == ErrorClass::InvalidKernel;
  return {false, rendered ? error.message : std::string(kem::name(error.error_class)) + ": " + error.message,
          std::move(diagnostics)};
}

Result<std::optional<wgsl::PipelineRequest>> parse_pipeline_line(std::string_view source) {
  std::string_view line = source.substr(0, source.find('\n'));
  if (!line.starts_with(kMarker)) return std::nullopt;
  line.remove_prefix(kMarker.size());
  if (!line.empty() && kBlanks.find(line[0]) == std::string_view::npos) return std::nullopt;
  wgsl::PipelineRequest request;
  request.entry_point = "";
  for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
    if (word.starts_with("entry=")) {
      request.entry_point = word.substr(6);
    } else if (word.starts_with("const:")) {
      KEM_TRY(wgsl::Constant constant, parse_constant(word.substr(6)));
      request.constants.push_back(std::move(constant));
    } else {
      return fail(ErrorClass::InvalidArgument, "'" + std::string(word) + "' in the '//!pipeline' line is neither " +
                                                   "entry=NAME nor const:NAME=VALUE");
    }
  }
  return request;
}

}  // namespace kem::cli
