#include "cli/translate.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/io.h"

namespace kem::cli {
namespace {

constexpr char kLanguageVariable[] = "KEM_LANGUAGE_EXTENSIONS";

nlohmann::json entry(std::string_view severity, const Location& at, std::string_view message, std::string_view rule) {
  nlohmann::json out{{"severity", severity}, {"line", at.line},        {"column", at.column}, {"length", at.length},
                     {"message", message},   {"begin", at.span.begin}, {"end", at.span.end},  {"rule", nullptr}};
  if (!rule.empty()) out["rule"] = rule;
  return out;
}

}  // namespace

Status read_language_option(const Arguments& arguments, core::Config& config) {
  const auto word = arguments.single(kLanguageOption.name);
  if (!word || config.set(kLanguageVariable, *word)) return {};
  return fail(ErrorClass::InvalidArgument, "'" + *word + "' for '--language-extensions' is neither all nor first");
}

wgsl::Options device_free_options() {
  wgsl::Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.features.subgroup_size_control = true;
  options.features.f16_immediates = true;
  return options;
}

Result<wgsl::Options> device_free_options(const Arguments& arguments) {
  core::Config config;
  if (const char* word = std::getenv(kLanguageVariable)) KEM_CHECK(config.set(kLanguageVariable, word));
  KEM_CHECK(read_language_option(arguments, config));
  wgsl::Options options = device_free_options();
  options.language_extensions = config.language_extensions;
  return options;
}

std::string default_entry_point(const wgsl::Program& program) {
  const bool has_main =
      std::ranges::any_of(program.entry_points(), [](const auto& entry) { return entry.name == "main"; });
  return has_main ? "main" : "";
}

Result<Translation> translate_file(const Arguments& arguments) {
  KEM_TRY(const wgsl::Options options, device_free_options(arguments));
  const std::string& path = arguments.operands().at(0);
  KEM_TRY(auto constants, parse_constants(arguments.all("const")));
  KEM_TRY(std::string source, read_text(path, options.limits.source_bytes));
  wgsl::Compilation compilation =
      wgsl::compile(std::move(source), options, std::filesystem::path(path).filename().string());
  if (!compilation.program) return fail(ErrorClass::InvalidKernel, std::move(compilation.diagnostics));
  const wgsl::PipelineRequest request{arguments.single("entry").value_or(default_entry_point(*compilation.program)),
                                      std::move(constants)};
  KEM_TRY(auto shader, wgsl::generate(*compilation.program, request, options));
  return Translation{std::move(shader), std::move(compilation.diagnostics)};
}

nlohmann::json diagnostics_json(std::span<const LocatedDiagnostic> diagnostics) {
  nlohmann::json all = nlohmann::json::array();
  for (const LocatedDiagnostic& d : diagnostics) {
    all.push_back(entry(name(d.severity), d.location, d.message, d.rule));
    for (const LocatedNote& note : d.notes) all.push_back(entry("note", note.location, note.message, d.rule));
  }
  return all;
}

}  // namespace kem::cli
