// Any bytes through the front-end, the GLSL writer and glslang, as `kem check --serve` does it. A crash, a leak, or
// GLSL that glslang refuses is a finding.
#include <cstdio>
#include <cstdlib>

#include "cli/checker.h"
#include "cli/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kem;
  static const wgsl::Options options = cli::device_free_options();
  const std::string source(reinterpret_cast<const char*>(data), size);
  const auto named = cli::parse_pipeline_line(source);
  wgsl::PipelineRequest request;
  request.entry_point = "";
  if (named && *named) request = **named;
  const cli::CheckResult result = cli::check_source(source, "fuzz", request, options);
  if (result.text.starts_with(name(ErrorClass::Internal))) {
    std::fputs(result.text.c_str(), stderr);
    std::abort();
  }
  return 0;
}
