#include "cli/translate.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/io.h"

namespace kem::cli {
namespace {

// The header line of a rendered diagnostic, "NAME:LINE:COLUMN SEVERITY: MESSAGE"; nullopt for any other line.
std::optional<nlohmann::json> parse_header(std::string_view line, std::string_view source_name) {
  const auto take = [&line](std::string_view prefix) {
    if (!line.starts_with(prefix)) return false;
    line.remove_prefix(prefix.size());
    return true;
  };
  const auto take_number = [&line](uint32_t& value) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    return error == std::errc();
  };
  uint32_t line_number = 0;
  uint32_t column = 0;
  if (!take(source_name) || !take(":") || !take_number(line_number) || !take(":") || !take_number(column) ||
      !take(" ")) {
    return std::nullopt;
  }
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  return nlohmann::json{{"severity", line.substr(0, colon)},
                        {"line", line_number},
                        {"column", column},
                        {"length", 0},
                        {"message", line.substr(colon + 2)}};
}

}  // namespace

wgsl::Options device_free_options() {
  wgsl::Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  return options;
}

std::string default_entry_point(const wgsl::Program& program) {
  const bool has_main =
      std::ranges::any_of(program.entry_points(), [](const auto& entry) { return entry.name == "main"; });
  return has_main ? "main" : "";
}

Result<Translation> translate_file(const Arguments& arguments) {
  const wgsl::Options options = device_free_options();
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

nlohmann::json diagnostics_json(std::string_view rendered, std::string_view source_name) {
  nlohmann::json all = nlohmann::json::array();
  while (!rendered.empty()) {
    const size_t end = rendered.find('\n');
    const std::string_view line = rendered.substr(0, end);
    rendered.remove_prefix(end == std::string_view::npos ? rendered.size() : end + 1);
    if (auto header = parse_header(line, source_name)) {
      all.push_back(std::move(*header));
    } else if (!all.empty() && line.find_first_not_of(" ^") == std::string_view::npos) {
      all.back()["length"] = std::ranges::count(line, '^');
    }
  }
  return all;
}

}  // namespace kem::cli
