// kem bench: what a call costs below the Erlang side, beside the device's floor.
#include "cli/bench.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/io.h"
#include "cli/translate.h"
#include "spirv/spirv.h"

namespace kem::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kOptions{Option{"rounds", "N", "how often each is timed (1000)"},
                              Option{"entry", "NAME", "compile: the entry point of the files"}, kJsonOption};

constexpr std::string_view kKernel = R"(
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) invocation: vec3u) {
  let word = invocation.x;
  if word < arrayLength(&doubled) { doubled[word] = source[word] * 2u; }
}
)";

struct Row {
  std::string name;
  double microseconds = 0;  // median
};

Result<Row> median(std::string name, uint64_t rounds, const std::function<Status()>& work) {
  std::vector<double> times;
  for (uint64_t i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    KEM_CHECK(work());
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return Row{std::move(name), *middle};
}

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

Result<std::vector<Row>> measure(uint64_t rounds) {
  std::vector<Row> rows;
  const auto keep = [&rows](Result<Row> row) -> Status {
    if (!row) return fail(row.error());
    rows.push_back(std::move(*row));
    return {};
  };
  KEM_TRY(const auto engine, make_engine());
  const std::vector<uint8_t> small(16);
  const std::vector<uint8_t> large(16u << 20);
  KEM_CHECK(keep(median("first 16-byte call, engine just made", 1, [&] { return call(*engine, small); })));
  KEM_TRY(const auto floor, engine->measure_empty_submit(static_cast<int>(rounds)));
  rows.push_back({"empty submit and wait", static_cast<double>(floor.count()) / 1000});
  KEM_CHECK(keep(median("16-byte call, warm", rounds, [&] { return call(*engine, small); })));
  KEM_CHECK(
      keep(median("16 MiB call, warm", std::max<uint64_t>(rounds / 100, 3), [&] { return call(*engine, large); })));
  const wgsl::Options options = device_free_options();
  KEM_CHECK(keep(
      median("WGSL to SPIR-V, small kernel", std::max<uint64_t>(rounds / 10, 3), [&] { return translate(options); })));
  return rows;
}

int run_part(const Arguments& arguments, uint64_t rounds) {
  const std::string& part = arguments.operands()[0];
  const std::vector<std::string> files(arguments.operands().begin() + 1, arguments.operands().end());
  if (part != "compile" && part != "check" && (part != "loops" || !files.empty())) {
    return usage_error("bench", "no benchmark '" + part + "'" + (part == "loops" ? " of files" : ""));
  }
  const auto rows = part == "compile" ? bench_compile(files, arguments.single("entry"), rounds)
                    : part == "check" ? bench_check(files, rounds)
                                      : bench_loops(rounds);
  if (!rows) return report_failure(rows.error(), arguments.json());
  write_output(arguments.json() ? bench_json(*rows).dump() + "\n" : bench_text(*rows));
  return kDone;
}

int run(const Arguments& arguments) {
  const auto rounds = arguments.count("rounds", 1000, 1, 1'000'000);
  if (!rounds) return usage_error("bench", rounds.error().message);
  if (!arguments.operands().empty()) return run_part(arguments, *rounds);
  const auto rows = measure(*rounds);
  if (!rows) return report_failure(rows.error(), arguments.json());
  nlohmann::ordered_json body;
  std::ostringstream text;
  for (const Row& row : *rows) {
    body[row.name] = row.microseconds;
    text << std::left << std::setw(40) << row.name << std::right << std::setw(12) << std::fixed << std::setprecision(1)
         << row.microseconds << " us\n";
  }
  write_output(arguments.json() ? body.dump() + "\n" : text.str());
  return kDone;
}

}  // namespace

const Command kBench{"bench", "[compile [FILE...] | check FILE... | loops]",       0,
                     1000,    "time calls, compilation, or the counting of loops", kOptions,
                     run};

}  // namespace kem::cli
