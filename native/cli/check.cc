// kem check: is a kernel valid WGSL?
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/checker.h"
#include "cli/command.h"
#include "cli/io.h"
#include "cli/serve.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{Option{"entry", "NAME", "check the pipeline of this entry point too"},
                              Option{"const", "NAME=VALUE", "check the pipeline with this constant too"},
                              kLanguageOption, kJsonOption,
                              Option{"serve", "", "loop: u32 length + WGSL in, u8 status + u32 length + text out"}};

nlohmann::json result_json(const CheckResult& result) {
  nlohmann::json all = diagnostics_json(result.diagnostics);
  if (result.valid || !all.empty()) return all;
  LocatedDiagnostic whole;  // an error without a place
  whole.message = result.text;
  whole.location.length = 0;
  return diagnostics_json(std::span(&whole, 1));
}

int check_file(const Arguments& arguments, const wgsl::Options& options) {
  const std::string& path = arguments.operands()[0];
  auto constants = parse_constants(arguments.all("const"));
  if (!constants) return usage_error("check", constants.error().message);
  auto source = read_text(path, options.limits.source_bytes);
  if (!source) return report_failure(source.error(), arguments.json());
  auto request = parse_pipeline_line(*source);
  if (!request) return report_failure(request.error(), arguments.json());
  if (arguments.has("entry") || arguments.has("const")) {
    *request = wgsl::PipelineRequest{arguments.single("entry").value_or(""), std::move(*constants)};
  }
  const std::string name = std::filesystem::path(path).filename().string();
  const CheckResult result = check_source(std::move(*source), name, *request, options);
  if (arguments.json()) {
    write_output(to_text(result_json(result)) + "\n");
  } else {
    const bool ended = result.text.empty() || result.text.back() == '\n';
    write_output(ended ? result.text : result.text + "\n");
  }
  return result.valid ? kDone : kFailed;
}

int run(const Arguments& arguments) {
  const bool serve = arguments.has("serve");
  if (serve != arguments.operands().empty()) return usage_error("check", "expected FILE or --serve");
  const auto options = device_free_options(arguments);
  if (!options) return usage_error("check", options.error().message);
  return serve ? serve_checks(*options) : check_file(arguments, *options);
}

}  // namespace

const Command kCheck{"check", "FILE", 0, 1, "say what is wrong with a kernel", kOptions, run};

}  // namespace kem::cli
