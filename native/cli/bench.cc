// kem bench: what a call costs below the Erlang side, beside the device's floor.
#include "cli/bench.h"

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/io.h"
#include "cli/translate.h"
#include "spirv/spirv.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{Option{"rounds", "N", "how often each is timed (1000)"},
                              Option{"entry", "NAME", "compile: the entry point of the files"},
                              Option{"size", "KIB", "compile: a module of that size alone, in place of files"},
                              kJsonOption};

// Of the kernel store: doubles words.
constexpr std::string_view kDoubleId = "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg";
// Calls after which nothing is new any more.
constexpr uint64_t kWarmUp = 50;
constexpr uint64_t kLargestModule = 10 * 1024;  // KiB

constexpr std::string_view kKernel = R"(
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let word = invocation.x;
  if word < arrayLength(&doubled) { doubled[word] = source[word] * 2u; }
}
)";

Status call(core::Engine& engine, std::span<const uint8_t> input) {
  core::Job job;
  job.kernel = core::KernelText{std::string(kKernel)};
  job.input = input;
  KEM_TRY([[maybe_unused]] const core::Output output, core::run(engine, job));
  return {};
}

Status translate(const wgsl::Options& options) {
  const wgsl::Compilation compilation = wgsl::compile(std::string(kKernel), options);
  if (!compilation.program) return fail(ErrorClass::Internal, compilation.diagnostics);
  KEM_TRY(const auto shader, wgsl::generate(*compilation.program, {}, options));
  KEM_TRY([[maybe_unused]] const auto words, spirv::compile(shader.glsl));
  return {};
}

Result<std::vector<BenchRow>> measure(uint64_t rounds) {
  std::vector<BenchRow> rows;
  std::optional<BenchRow::Beside> beside;
  const auto keep = [&](std::string_view name, uint64_t times, const std::function<Status()>& work) -> Status {
    KEM_TRY(const double microseconds, median_time(times, work));
    rows.push_back({std::string(name), microseconds, "us", beside, {}});
    return {};
  };
  KEM_TRY(const auto engine, make_engine());
  const std::vector<uint8_t> small(16);
  const std::vector<uint8_t> large(16u << 20);
  KEM_CHECK(keep("first 16-byte call, engine just made", 1, [&] { return call(*engine, small); }));
  KEM_TRY(const auto floor, engine->measure_empty_submit(static_cast<int>(rounds)));
  beside = {"empty submit", static_cast<double>(floor.count()) / 1000};
  KEM_CHECK(keep("16-byte call, warm", rounds, [&] { return call(*engine, small); }));
  beside.reset();
  KEM_CHECK(keep("16 MiB call, warm", std::max<uint64_t>(rounds / 100, 3), [&] { return call(*engine, large); }));
  const wgsl::Options options = device_free_options();
  KEM_CHECK(
      keep("WGSL to SPIR-V, small kernel", std::max<uint64_t>(rounds / 10, 3), [&] { return translate(options); }));
  return rows;
}

// Nothing but warm calls of one kernel, by its id as callers have it: for counting what they take of a processor.
Result<std::vector<BenchRow>> measure_submit(uint64_t rounds) {
  KEM_TRY(const auto engine, make_engine());
  const std::vector<uint8_t> input(16);
  core::Job job;
  job.kernel = core::KernelId{std::string(kDoubleId)};
  job.input = input;
  const auto call = [&]() -> Status {
    KEM_TRY([[maybe_unused]] const core::Output output, core::run(*engine, job));
    return {};
  };
  KEM_TRY([[maybe_unused]] const double first, median_time(kWarmUp, call));
  KEM_TRY(const double microseconds, median_time(rounds, call));
  return std::vector<BenchRow>{{"16-byte call, warm", microseconds, "us", {}, {}}};
}

Result<std::vector<BenchRow>> measure_part(const std::string& part, const std::vector<std::string>& files,
                                           const std::optional<std::string>& entry, uint64_t kib, uint64_t rounds) {
  if (part == "submit") return measure_submit(rounds);
  if (part == "compile") return kib != 0 ? bench_compile(kib, rounds) : bench_compile(files, entry, rounds);
  return part == "check" ? bench_check(files, rounds) : bench_loops(rounds);
}

int run(const Arguments& arguments) {
  const auto rounds = arguments.count("rounds", 1000, 1, 1'000'000);
  if (!rounds) return usage_error("bench", rounds.error().message);
  const auto kib = arguments.count("size", 0, 1, kLargestModule);
  if (!kib) return usage_error("bench", kib.error().message);
  const std::string part = arguments.operands().empty() ? "calls" : arguments.operands()[0];
  const std::vector<std::string> files(arguments.operands().begin() + (arguments.operands().empty() ? 0 : 1),
                                       arguments.operands().end());
  const bool takes_files = part == "compile" || part == "check";
  if (part != "calls" && part != "submit" && part != "loops" && !takes_files)
    return usage_error("bench", "no benchmark '" + part + "'");
  if (!takes_files && !files.empty()) return usage_error("bench", "no benchmark '" + part + "' of files");
  const auto rows =
      part == "calls" ? measure(*rounds) : measure_part(part, files, arguments.single("entry"), *kib, *rounds);
  if (!rows) return report_failure(rows.error(), arguments.json());
  write_output(arguments.json() ? bench_json(*rows).dump() + "\n" : bench_text(*rows));
  return kDone;
}

}  // namespace

const Command kBench{"bench",
                     "[calls | submit | compile [FILE...] | check FILE... | loops]",
                     0,
                     1000,
                     "time calls, compilation, or the counting of loops",
                     kOptions,
                     run};

}  // namespace kem::cli
