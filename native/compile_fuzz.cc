// libFuzzer target: any bytes through the whole compile, for every compute entry point, with and without counted and
// hidden loops. A crash, a hang, a leak, an error of class Internal, or SPIR-V that spirv-val refuses is a finding. It
// stands here because it needs native/wgsl and native/spirv, which know nothing of each other.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "spirv/spirv.h"
#include "wgsl/fuzz_mutator.h"
#include "wgsl/wgsl.h"

namespace {

using namespace kem;

[[noreturn]] void found(const char* stage, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", stage, text.c_str());
  std::abort();
}

wgsl::Options options_for(uint32_t hash) {
  wgsl::Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.count_loops = (hash & 1u) != 0;
  options.misread_loop_exits = (hash & 2u) != 0;
  options.miscounted_subgroups = (hash & 4u) != 0;
  // Lower than the defaults, so that an execution is short: the bombs have a test of their own.
  options.limits.const_eval_steps = 100'000;
  options.limits.composite_elements = 4096;
  options.limits.generated_bytes = 1u << 20;
  return options;
}

// Overrides without a default get one; the others get one where the input's bytes say so.
std::vector<wgsl::Constant> constants_for(const wgsl::Program& program, uint32_t hash) {
  constexpr double kValues[] = {1, 0, 2, 4, -1, 0.5, 65536, 4294967295.0};
  std::vector<wgsl::Constant> constants;
  for (const wgsl::Override& each : program.overrides()) {
    hash = hash * 1664525u + 1013904223u;
    if (each.has_default && (hash >> 28) < 8) continue;
    constants.push_back({each.id ? std::to_string(*each.id) : each.name, kValues[(hash >> 24) % std::size(kValues)]});
  }
  return constants;
}

void check_pipeline(const wgsl::Program& program, const wgsl::PipelineRequest& request, const wgsl::Options& options) {
  const auto shader = wgsl::generate(program, request, options);
  if (!shader) {
    if (shader.error().error_class == ErrorClass::Internal) found("generate", shader.error().message);
    return;
  }
  const auto words = spirv::compile(shader->glsl);
  if (!words) {
    if (words.error().error_class == ErrorClass::Internal) found("glslang", words.error().message);
    return;
  }
  if (const Status valid = spirv::validate(*words); !valid) found("spirv-val", valid.error().message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 16777619u;
  const wgsl::Options options = options_for(hash);
  const wgsl::Compilation compilation =
      wgsl::compile(std::string(reinterpret_cast<const char*>(data), size), options, "fuzz");
  if (!compilation.program) {
    if (compilation.diagnostics.empty()) found("compile", "refused without a word");
    return 0;
  }
  wgsl::PipelineRequest request;
  request.constants = constants_for(*compilation.program, hash);
  for (const wgsl::EntryPointInfo& entry : compilation.program->entry_points()) {
    if (entry.stage != wgsl::EntryPointInfo::Stage::Compute) continue;
    request.entry_point = entry.name;
    check_pipeline(*compilation.program, request, options);
  }
  return 0;
}
