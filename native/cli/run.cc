// kem run: runs a kernel file, or a kernel by its TXID, over bytes.
#include <array>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "cli/command.h"
#include "cli/engine.h"
#include "cli/io.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{
    Option{"input", "FILE", "input bytes; - is standard input"},
    Option{"input-hex", "HEX", "input bytes in hexadecimal"},
    Option{"params", "U32,U32,...", "the uniform's words; words 0 and 1 are width and height"},
    Option{"params-hex", "HEX", "the uniform's bytes"},
    Option{"immediates", "U32,U32,...", "the words of the kernel's var<immediate>; those not given are zeros"},
    Option{"hint", "N", "the output has N times the input's bytes (1)"},
    Option{"output-bytes", "N", "the output has N bytes"},
    Option{"dispatch", "X[,Y[,Z]]",
           "workgroups (enough for the output's words, or for width and height of the params)"},
    kEntryOption,
    kConstantOption,
    kLanguageOption,
    Option{"image", "", "decode a PNG or JPEG input to RGBA8, write the output as PNG"},
    Option{"device", "N", "run on the N-th of the devices that KEM_DEVICE names, from 0 (the first)"},
    Option{"time-limit", "MS", "milliseconds until the job is given up"},
    Option{"out", "FILE", "write the output's bytes there instead of printing hexadecimal"},
    kJsonOption,
};

constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();

struct Prepared {
  core::Job job;
  std::vector<uint8_t> input;  // what the job's spans point at
  std::vector<uint8_t> params;
  std::vector<uint8_t> immediates;
};

Result<std::vector<uint8_t>> hex_option(const Arguments& arguments, std::string_view name) {
  auto bytes = unhex(*arguments.single(name));
  if (!bytes) return fail(ErrorClass::InvalidArgument, "'--" + std::string(name) + "' is no even count of hex digits");
  return std::move(*bytes);
}

Result<std::vector<uint8_t>> input_bytes(const Arguments& arguments, uint64_t limit) {
  if (arguments.has("input-hex")) return hex_option(arguments, "input-hex");
  if (const auto path = arguments.single("input")) return read_file(*path, limit);
  return std::vector<uint8_t>();
}

Result<std::vector<uint8_t>> params_bytes(const Arguments& arguments) {
  if (arguments.has("params-hex")) return hex_option(arguments, "params-hex");
  return parse_words(*arguments.single("params"), "params");
}

// An operand that names no file and has a TXID's form is a TXID.
Result<std::variant<core::KernelId, core::KernelText>> kernel_operand(const std::string& operand, uint64_t limit) {
  std::error_code error;
  if (!std::filesystem::exists(operand, error) && arweave::check_kernel_id(operand)) return core::KernelId{operand};
  KEM_TRY(std::string text, read_text(operand, limit));
  return core::KernelText{std::move(text)};
}

// What the command line says of the job, apart from what it must read.
Status read_options(const Arguments& arguments, core::Job& job) {
  if (const auto entry = arguments.single("entry")) job.entry_point = *entry;
  KEM_TRY(job.constants, parse_constants(arguments.all("const")));
  if (arguments.has("output-bytes")) {
    KEM_TRY(const uint64_t bytes, arguments.count("output-bytes", 0, 0, kAny));
    job.output = core::OutputBytes{bytes};
  } else {
    KEM_TRY(const uint64_t ratio, arguments.count("hint", 1, 0, kAny));
    job.output = core::OutputHint{ratio};
  }
  if (const auto text = arguments.single("dispatch")) {
    KEM_TRY(const auto counts, parse_workgroups(*text, "dispatch"));
    job.dispatch = core::DispatchWorkgroups{counts};
  } else if (arguments.has("params") || arguments.has("params-hex")) {
    job.dispatch = core::DispatchGrid{};
  }
  job.image = arguments.has("image");
  KEM_TRY(const uint64_t milliseconds, arguments.count("time-limit", 0, 0, 86'400'000));
  job.time_limit = std::chrono::milliseconds(milliseconds);
  if (arguments.has("device")) {
    KEM_TRY(job.device, arguments.count("device", 0, 0, std::numeric_limits<uint32_t>::max()));
  }
  return {};
}

Status read_operands(const Arguments& arguments, const Limits& limits, Prepared& prepared) {
  KEM_TRY(prepared.job.kernel, kernel_operand(arguments.operands()[0], limits.source_bytes));
  KEM_TRY(prepared.input, input_bytes(arguments, limits.input_bytes));
  prepared.job.input = prepared.input;
  if (arguments.has("params") || arguments.has("params-hex")) {
    KEM_TRY(prepared.params, params_bytes(arguments));
    prepared.job.params = prepared.params;
  }
  KEM_TRY(prepared.immediates, parse_words(arguments.single("immediates").value_or(""), "immediates"));
  prepared.job.immediates = prepared.immediates;
  return {};
}

nlohmann::json times_json(const core::StageTimes& times) {
  const auto microseconds = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; };
  return {{"queue", microseconds(times.queue)},         {"fetch", microseconds(times.fetch)},
          {"front_end", microseconds(times.front_end)}, {"spirv", microseconds(times.spirv)},
          {"pipeline", microseconds(times.pipeline)},   {"upload", microseconds(times.upload)},
          {"execute", microseconds(times.execute)},     {"readback", microseconds(times.readback)}};
}

Status write_result(const Arguments& arguments, const core::Output& output) {
  const auto path = arguments.single("out");
  if (path) KEM_CHECK(write_file(*path, output.bytes));
  if (arguments.json()) {
    nlohmann::json body{{"bytes", output.bytes.size()},
                        {"kernel_origin", output.report.kernel_origin},
                        {"warnings", output.report.warnings},
                        {"device", output.report.device},
                        {"times_us", times_json(output.report.times)}};
    if (!path) body["output_hex"] = hex(output.bytes);
    write_output(to_text(body) + "\n");
    return {};
  }
  write_error(output.report.warnings);
  if (!path) write_output(hex(output.bytes) + "\n");
  return {};
}

int run(const Arguments& arguments) {
  Prepared prepared;
  if (const Status read = read_options(arguments, prepared.job); !read) {
    return usage_error("run", read.error().message);
  }
  if (arguments.has("input") && arguments.has("input-hex")) return usage_error("run", "two inputs");
  if (arguments.has("params") && arguments.has("params-hex")) return usage_error("run", "params twice");
  if (arguments.has("output-bytes") && arguments.has("hint")) return usage_error("run", "the output's size twice");
  auto config = engine_config();
  if (!config) return report_failure(config.error(), arguments.json());
  if (const Status read = read_language_option(arguments, *config); !read) {
    return usage_error("run", read.error().message);
  }
  if (const Status read = read_operands(arguments, config->limits, prepared); !read) {
    if (read.error().error_class == ErrorClass::InvalidArgument) return usage_error("run", read.error().message);
    return report_failure(read.error(), arguments.json());
  }
  if (prepared.job.device) config->device.most = vulkan::Selection::kMost;
  const auto engine = core::Engine::create(*config);
  const auto output = core::run(*engine, prepared.job);
  if (!output) return report_failure(output.error(), arguments.json());
  const Status written = write_result(arguments, *output);
  return written ? kDone : report_failure(written.error(), arguments.json());
}

}  // namespace

const Command kRun{"run", "FILE|TXID", 1, 1, "run a kernel", kOptions, run};

}  // namespace kem::cli
