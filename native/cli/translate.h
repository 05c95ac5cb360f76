// What check, glsl and spirv share: source to program to shader, without a device.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/arguments.h"
#include "wgsl/wgsl.h"

namespace kem::cli {

// No device is asked: every optional feature counts as there, limits are WebGPU's defaults.
wgsl::Options device_free_options();

// `main` if the module has it, otherwise "", which takes the only compute entry point.
std::string default_entry_point(const wgsl::Program& program);

struct Translation {
  wgsl::Shader shader;
  std::string warnings;  // rendered
};

// A whole WGSL file to GLSL with the options --entry and --const. InvalidKernel has the diagnostics as message.
Result<Translation> translate_file(const Arguments& arguments);

inline constexpr Option kEntryOption{"entry", "NAME", "entry point (main, or else the only one)"};
inline constexpr Option kConstantOption{"const", "NAME=VALUE",
                                        "value of a pipeline-overridable constant, by name or by its @id's number"};
inline constexpr Option kJsonOption{"json", "", "answer in JSON on standard output"};

// Rendered diagnostics (base/diagnostic.h) as a JSON array of {severity, line, column, length, message}, in order;
// length counts code points on that line, 0 where no line is shown.
nlohmann::json diagnostics_json(std::string_view rendered, std::string_view source_name);

}  // namespace kem::cli
