// kem info: the bounds that kernels and calls are held to, here and on this device.
#include <array>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/io.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::array kOptions{kLanguageOption, kJsonOption};

ordered_json limits_json(const Limits& limits) {
  return {{"source_bytes", limits.source_bytes},
          {"nesting_depth", limits.nesting_depth},
          {"const_eval_steps", limits.const_eval_steps},
          {"generated_bytes", limits.generated_bytes},
          {"private_bytes", limits.private_bytes},
          {"function_bytes", limits.function_bytes},
          {"input_bytes", limits.input_bytes},
          {"output_bytes", limits.output_bytes},
          {"params_bytes", limits.params_bytes},
          {"queue_length", limits.queue_length},
          {"in_flight_bytes", limits.in_flight_bytes},
          {"resident_bytes", limits.resident_bytes},
          {"chain_steps", limits.chain_steps},
          {"job_time_ms", limits.job_time.count()},
          {"connect_time_ms", limits.connect_time.count()},
          {"fetch_time_ms", limits.fetch_time.count()},
          {"redirects", limits.redirects}};
}

ordered_json features_json(const wgsl::DeviceFeatures& features) {
  return {{"f16", features.f16},
          {"subgroups", features.subgroups},
          {"subgroup_size_control", features.subgroup_size_control},
          {"min_subgroup_size", features.min_subgroup_size},
          {"max_subgroup_size", features.max_subgroup_size},
          {"max_workgroup_size_x", features.max_workgroup_size_x},
          {"max_workgroup_size_y", features.max_workgroup_size_y},
          {"max_workgroup_size_z", features.max_workgroup_size_z},
          {"max_workgroup_invocations", features.max_workgroup_invocations},
          {"max_workgroup_bytes", features.max_workgroup_bytes},
          {"max_uniform_bytes", features.max_uniform_bytes},
          {"max_storage_bytes", features.max_storage_bytes},
          {"max_immediate_bytes", features.max_immediate_bytes},
          {"f16_immediates", features.f16_immediates}};
}

// By name: what kind of extension it is, whether kernels may use it, and what of the device it needs.
ordered_json extensions_json(const wgsl::Options& options) {
  ordered_json all;
  for (const wgsl::Extension& extension : wgsl::extensions(options)) {
    all[std::string(extension.name)] = {
        {"kind", name(extension.kind)}, {"status", name(extension.status)}, {"needs", extension.needs}};
  }
  return all;
}

std::string extensions_text(const ordered_json& extensions) {
  std::string text = "wgsl_extensions:\n";
  for (const auto& [name, extension] : extensions.items()) {
    text += "  " + name + ": " + extension["status"].get<std::string>() + " (" + extension["kind"].get<std::string>();
    const auto needs = extension["needs"].get<std::string>();
    text += (needs.empty() ? "" : ", needs " + needs) + ")\n";
  }
  return text;
}

int run(const Arguments& arguments) {
  auto config = engine_config();
  if (!config) return report_failure(config.error(), arguments.json());
  if (const Status read = read_language_option(arguments, *config); !read) {
    return usage_error("info", read.error().message);
  }
  const auto engine = core::Engine::create(*config);
  const auto adapter = engine->adapter();
  const ordered_json device = adapter ? ordered_json(adapter->name) : ordered_json();
  const wgsl::Options options = engine->wgsl_options();
  const ordered_json sections{{"limits", limits_json(config->limits)},
                              {"device_features", features_json(options.features)}};
  const ordered_json extensions = extensions_json(options);
  if (arguments.json()) {
    ordered_json body{{"device", device}};
    body.update(sections);
    body["wgsl_extensions"] = extensions;
    write_output(body.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
    return kDone;
  }
  write_output("device: " + (adapter ? adapter->name : "none (" + adapter.error().message + ")") + "\n");
  for (const auto& [title, section] : sections.items()) {
    write_output(title + ":\n");
    for (const auto& [name, value] : section.items()) write_output("  " + name + ": " + value.dump() + "\n");
  }
  write_output(extensions_text(extensions));
  return kDone;
}

}  // namespace

const Command kInfo{"info", "", 0, 0, "print limits and the device's features", kOptions, run};

}  // namespace kem::cli
