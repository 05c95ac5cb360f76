// One check of one source: shader creation, and pipeline creation where it is asked for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wgsl/wgsl.h"

namespace kem::cli {

struct CheckResult {
  bool valid = false;
  std::string text;  // rendered diagnostics; on success warnings or nothing
  // The same as values; empty if the text is of an error without a place in the source.
  std::vector<LocatedDiagnostic> diagnostics;
};

// With a request the pipeline-creation checks are made too, and the GLSL must pass glslang; an entry point of ""
// stands for default_entry_point().
CheckResult check_source(std::string source, const std::string& name,
                         const std::optional<wgsl::PipelineRequest>& request, const wgsl::Options& options);

// The request in a source's first line, `//!pipeline entry=NAME const:NAME=VALUE ...`; nullopt if the source does
// not begin with `//!pipeline`. InvalidArgument: a word of another form.
Result<std::optional<wgsl::PipelineRequest>> parse_pipeline_line(std::string_view source);

}  // namespace kem::cli
