// kem exec --serve: runs kernels with any bindings, for test harnesses.
//
// Request frame: u32 little-endian JSON length, the JSON object, then the bindings' bytes in their order.
//   {"wgsl": text, "entry": name, "constants": {name: number}, "workgroups": [x, y, z],
//    "immediates": [u32, ...], "bindings": [{"group": n, "binding": n, "size": bytes}]}
// `wgsl` and `bindings` are required. A reply of status 0 has the bindings' new contents, same order and sizes.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/serve.h"

namespace kem::cli {
namespace {

using nlohmann::json;

constexpr size_t kFrameLimit = 1u << 30;

constexpr std::array kOptions{Option{"serve", "", "loop over standard input and output; see docs/architecture.md"}};

tl::unexpected<Error> invalid(std::string message) { return fail(ErrorClass::InvalidArgument, std::move(message)); }

Result<uint64_t> unsigned_field(const json& value, std::string_view what, uint64_t high) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > high) {
    return invalid("'" + std::string(what) + "' is no count up to " + std::to_string(high));
  }
  return value.get<uint64_t>();
}

Result<std::string> string_field(const json& object, const char* key, std::string otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_string()) return invalid("'" + std::string(key) + "' is no string");
  return found->get<std::string>();
}

Result<std::vector<wgsl::Constant>> constants_field(const json& object) {
  std::vector<wgsl::Constant> constants;
  const auto found = object.find("constants");
  if (found == object.end()) return constants;
  if (!found->is_object()) return invalid("'constants' is no object");
  for (const auto& [key, value] : found->items()) {
    if (value.is_boolean()) {
      constants.push_back({key, value.get<bool>() ? 1.0 : 0.0});
    } else if (value.is_number()) {
      constants.push_back({key, value.get<double>()});
    } else {
      return invalid("constant '" + key + "' is no number");
    }
  }
  return constants;
}

Result<std::array<uint64_t, 3>> workgroups_field(const json& object) {
  std::array<uint64_t, 3> counts{1, 1, 1};
  const auto found = object.find("workgroups");
  if (found == object.end()) return counts;
  if (!found->is_array() || found->size() > 3) return invalid("'workgroups' is no array of up to three counts");
  for (size_t i = 0; i < found->size(); ++i) {
    KEM_TRY(counts[i], unsigned_field((*found)[i], "workgroups", std::numeric_limits<uint32_t>::max()));
  }
  return counts;
}

Result<std::vector<uint8_t>> immediates_field(const json& object) {
  std::vector<uint8_t> bytes;
  const auto found = object.find("immediates");
  if (found == object.end()) return bytes;
  if (!found->is_array()) return invalid("'immediates' is no array of u32 words");
  for (const json& item : *found) {
    KEM_TRY(const uint64_t word, unsigned_field(item, "immediates", std::numeric_limits<uint32_t>::max()));
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  return bytes;
}

// Each binding's share of `bytes`, which they must use up.
Result<std::vector<core::BindingArgument>> bindings_field(const json& object, std::span<uint8_t> bytes) {
  std::vector<core::BindingArgument> bindings;
  const auto found = object.find("bindings");
  if (found == object.end() || !found->is_array()) return invalid("'bindings' is no array");
  for (const json& item : *found) {
    if (!item.is_object()) return invalid("an item of 'bindings' is no object");
    const auto field = [&item](const char* key, uint64_t high) -> Result<uint64_t> {
      const auto value = item.find(key);
      if (value == item.end()) return invalid("an item of 'bindings' has no '" + std::string(key) + "'");
      return unsigned_field(*value, key, high);
    };
    core::BindingArgument binding;
    KEM_TRY(const uint64_t group, field("group", std::numeric_limits<uint32_t>::max()));
    KEM_TRY(const uint64_t number, field("binding", std::numeric_limits<uint32_t>::max()));
    KEM_TRY(const uint64_t size, field("size", std::numeric_limits<uint64_t>::max()));
    const auto same = [&](const auto& b) { return b.group == group && b.binding == number; };
    if (std::any_of(bindings.begin(), bindings.end(), same)) {
      return invalid("'bindings' has group " + std::to_string(group) + ", binding " + std::to_string(number) +
                     " twice");
    }
    if (size > bytes.size()) return invalid("the bindings' sizes are more than the bytes that came");
    binding.group = static_cast<uint32_t>(group);
    binding.binding = static_cast<uint32_t>(number);
    binding.bytes = bytes.first(size);
    bytes = bytes.subspan(size);
    bindings.push_back(binding);
  }
  if (!bytes.empty()) return invalid(std::to_string(bytes.size()) + " bytes more came than the bindings take");
  return bindings;
}

// The job refers to the frame's memory.
Result<core::BindingJob> parse_job(std::span<uint8_t> frame) {
  if (frame.size() < 4) return invalid("the request is shorter than the JSON's length");
  const size_t length = frame[0] | frame[1] << 8 | frame[2] << 16 | static_cast<size_t>(frame[3]) << 24;
  if (length > frame.size() - 4) return invalid("the JSON's length is more than the request's");
  const auto text = frame.subspan(4, length);
  const json object = json::parse(text.begin(), text.end(), nullptr, false);
  if (!object.is_object()) return invalid("the request's JSON is no object");
  core::BindingJob job;
  KEM_TRY(job.wgsl, string_field(object, "wgsl", ""));
  KEM_TRY(job.entry_point, string_field(object, "entry", "main"));
  KEM_TRY(job.constants, constants_field(object));
  KEM_TRY(job.workgroups, workgroups_field(object));
  KEM_TRY(job.immediates, immediates_field(object));
  KEM_TRY(job.bindings, bindings_field(object, frame.subspan(4 + length)));
  return job;
}

int run(const Arguments& arguments) {
  if (!arguments.has("serve")) return usage_error("exec", "expected --serve");
  return serve_executions();
}

}  // namespace

Reply execute_frame(core::Engine& engine, std::span<uint8_t> frame) {
  const auto job = parse_job(frame);
  if (!job) return text_reply(1, std::string(name(job.error().error_class)) + ": " + job.error().message);
  const auto report = engine.execute(*job);
  if (!report) {
    const Error& error = report.error();
    const bool unsupported = error.error_class == ErrorClass::UnsupportedKernel;
    return text_reply(unsupported ? 3 : 1, std::string(name(error.error_class)) + ": " + error.message);
  }
  Reply reply;
  for (const core::BindingArgument& binding : job->bindings) {
    reply.body.insert(reply.body.end(), binding.bytes.begin(), binding.bytes.end());
  }
  return reply;
}

int serve_executions() {
  const auto engine = make_engine();
  if (!engine) return report_failure(engine.error(), false);
  FrameReader reader(STDIN_FILENO, kFrameLimit);
  serve(reader, STDOUT_FILENO, text_reply(1, "input_too_large: the request is longer than 1 GiB"),
        [&engine](std::span<uint8_t> frame) { return execute_frame(**engine, frame); });
  return kDone;
}

const Command kExec{"exec", "--serve", 0, 0, "run kernels with any bindings, in a loop", kOptions, run};

}  // namespace kem::cli
