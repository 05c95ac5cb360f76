// What check, glsl and spirv share: source to program to shader, without a device.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/arguments.h"
#include "core/core.h"
#include "wgsl/wgsl.h"

namespace kem::cli {

// No device is asked: every optional feature counts as there, limits are WebGPU's defaults.
wgsl::Options device_free_options();
// The same with the language extensions of kLanguageOption's word, else KEM_LANGUAGE_EXTENSIONS's. InvalidArgument:
// another word.
Result<wgsl::Options> device_free_options(const Arguments& arguments);

// Sets what kLanguageOption says, if it is given.
Status read_language_option(const Arguments& arguments, core::Config& config);

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
inline constexpr Option kLanguageOption{"language-extensions", "all|first",
                                        "which WGSL language extensions kernels may use: all that there are, or those "
                                        "of WebGPU's first release (KEM_LANGUAGE_EXTENSIONS, else all)"};
inline constexpr Option kJsonOption{"json", "", "answer in JSON on standard output"};

// Diagnostics as a JSON array of {severity, rule, message, line, column, length, begin, end}, in order, each one's
// notes after it with severity "note". length counts code points on that line, begin and end are bytes of the source;
// rule is null for what no filter can name.
nlohmann::json diagnostics_json(std::span<const LocatedDiagnostic> diagnostics);

}  // namespace kem::cli
