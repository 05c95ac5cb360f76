// kem bench compile: the work (CPU time) of turning WGSL into validated SPIR-V, stage by stage.
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>

#include "cli/bench.h"
#include "cli/bench_rows.h"
#include "cli/io.h"
#include "cli/thirty_lines.h"
#include "cli/translate.h"
#include "spirv/spirv.h"

namespace kem::cli {
namespace {

// The time of all threads: deep shaders are compiled on a thread of their own (spirv/deep_stack.h).
struct Clock {
  using Duration = std::chrono::nanoseconds;
  static Duration now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
  }
};
using Target = BenchRow::Target;

constexpr std::string_view kModuleHead = R"(// A long module: many functions of the kind that kernels are made of.
struct Scene {
  size: vec2u,
  frames: u32,
  gain: f32,
}
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(2) var<uniform> scene: Scene;
)";

// '#' stands for the function's number.
constexpr std::string_view kFunction = R"(
// Light that falls from around onto one point: part # of the sum.
struct Sample# {
  position: vec3f,
  weight: f32,
  colour: vec3f,
  seed: u32,
}

fn next_random_#(state: ptr<function, u32>) -> f32 {
  *state = (*state ^ 61u) ^ (*state >> 16u);
  *state = *state * 9u;
  *state ^= *state >> 4u;
  *state *= 0x27d4eb2du;
  return f32(*state >> 8u) / 16777216.0;
}

fn gather_#(origin: vec3f, normal: vec3f, first_seed: u32) -> vec3f {
  var seed = first_seed + #u;
  var total = vec3f(0.0, 0.0, 0.0);
  for (var i = 0u; i < scene.frames; i++) {
    var sample: Sample#;
    sample.position = origin + normal * next_random_#(&seed);
    sample.weight = max(dot(normalize(sample.position), normal), 0.0);
    let index = min(u32(sample.position.x * 17.0 + sample.position.y), scene.size.x - 1u);
    if sample.weight > 0.001 && index != 0u {
      sample.colour = source[index].rgb * scene.gain;
      total += sample.colour * sample.weight / (1.0 + length(sample.position - origin));
    } else {
      total *= 0.5;  // in the dark
    }
  }
  return clamp(total, vec3f(), vec3f(1.0));
}
)";

constexpr std::string_view kMainHead = R"(
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var colour = vec3f();
)";

std::string numbered(std::string_view text, size_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (const char c : text) c == '#' ? out += digits : out += c;
  return out;
}

// A module of about `bytes`, every function of which is called.
std::string module_of(size_t bytes) {
  std::string functions{kModuleHead};
  std::string main{kMainHead};
  for (size_t n = 0; functions.size() + main.size() + kFunction.size() < bytes || n == 0; ++n) {
    functions += numbered(kFunction, n);
    main += numbered("  colour += gather_#(colour, vec3f(0.0, 1.0, 0.0), id.x);\n", n);
  }
  return functions + main + "  result[id.x] = vec4f(colour, 1.0);\n}\n";
}

// One stage's times over all rounds, in microseconds.
using Samples = std::vector<double>;

struct Stages {
  Samples front_end, glslang, validation, whole;
  std::array<Samples, 6> parts;
};

struct Part {
  std::string_view name;
  wgsl::FrontEndTimes::Time wgsl::FrontEndTimes::*time;
};
constexpr std::array<Part, 6> kParts{{{"lex, parse", &wgsl::FrontEndTimes::parse},
                                      {"resolve", &wgsl::FrontEndTimes::resolve},
                                      {"validate", &wgsl::FrontEndTimes::validate},
                                      {"lower", &wgsl::FrontEndTimes::lower},
                                      {"transform", &wgsl::FrontEndTimes::transform},
                                      {"write GLSL", &wgsl::FrontEndTimes::write_glsl}}};

double microseconds(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string entry_point_of(const wgsl::Program& program, const std::optional<std::string>& wanted) {
  if (wanted) return *wanted;
  for (const wgsl::EntryPointInfo& entry : program.entry_points()) {
    if (entry.stage == wgsl::EntryPointInfo::Stage::Compute) return entry.name;
  }
  return "main";
}

Status front_end(const std::string& source, const wgsl::Options& options, const std::optional<std::string>& entry,
                 std::string* glsl) {
  const wgsl::Compilation compilation = wgsl::compile(source, options);
  if (!compilation.program) return fail(ErrorClass::InvalidKernel, compilation.diagnostics);
  wgsl::PipelineRequest request;
  request.entry_point = entry_point_of(*compilation.program, entry);
  KEM_TRY(auto shader, wgsl::generate(*compilation.program, request, options));
  *glsl = std::move(shader.glsl);
  return {};
}

// Compiles `rounds` times, after one round that nobody times.
Result<Stages> measure(const std::string& source, const std::optional<std::string>& entry, uint64_t rounds) {
  wgsl::FrontEndTimes times;
  wgsl::Options options = device_free_options();
  options.limits.source_bytes = std::max(options.limits.source_bytes, source.size());
  options.times = &times;
  Stages stages;
  for (uint64_t round = 0; round <= rounds; ++round) {
    std::string glsl;
    const auto begin = Clock::now();
    KEM_CHECK(front_end(source, options, entry, &glsl));
    const auto written = Clock::now();
    KEM_TRY(const auto words, spirv::compile(glsl));
    const auto compiled = Clock::now();
    KEM_CHECK(spirv::validate(words));
    const auto end = Clock::now();
    if (round == 0) continue;
    stages.front_end.push_back(microseconds(written - begin));
    stages.glslang.push_back(microseconds(compiled - written));
    stages.validation.push_back(microseconds(end - compiled));
    stages.whole.push_back(microseconds(end - begin));
    for (size_t k = 0; k < kParts.size(); ++k) stages.parts[k].push_back(microseconds(times.*kParts[k].time));
  }
  return stages;
}

Result<Samples> measure_front_end(const std::string& source, uint64_t rounds) {
  wgsl::Options options = device_free_options();
  Samples samples;
  for (uint64_t round = 0; round <= rounds; ++round) {
    std::string glsl;
    const auto begin = Clock::now();
    KEM_CHECK(front_end(source, options, {}, &glsl));
    if (round != 0) samples.push_back(microseconds(Clock::now() - begin));
  }
  return samples;
}

// Shader creation alone, for files of whose entry points none can be run.
Result<BenchRow> measure_check(const std::string& name, const std::string& source, uint64_t rounds) {
  Samples samples;
  for (uint64_t round = 0; round <= rounds; ++round) {
    const auto begin = Clock::now();
    const wgsl::Compilation compilation = wgsl::compile(source, device_free_options());
    if (!compilation.program) return fail(ErrorClass::InvalidKernel, compilation.diagnostics);
    if (round != 0) samples.push_back(microseconds(Clock::now() - begin));
  }
  return BenchRow{name + ": check", median_of(samples), "us", {}, {}};
}

void add_stages(std::vector<BenchRow>& rows, const std::string& name, const Stages& stages,
                std::optional<Target> target) {
  rows.push_back({name + ": WGSL to valid SPIR-V", median_of(stages.whole), "us", {}, target});
  rows.push_back({name + ": front-end", median_of(stages.front_end), "us", {}, {}});
  for (size_t k = 0; k < kParts.size(); ++k) {
    rows.push_back({name + ":   " + std::string(kParts[k].name), median_of(stages.parts[k]), "us", {}, {}});
  }
  rows.push_back({name + ": glslang", median_of(stages.glslang), "us", {}, {}});
  rows.push_back({name + ": SPIRV-Tools validation", median_of(stages.validation), "us", {}, {}});
}

std::string size_name(size_t kib) { return std::to_string(kib) + " KiB"; }

// What is measured without files: in turns that are spread over the run, as a machine's other guests slow everything
// for seconds at a time. The least turn counts.
struct Subject {
  size_t kib;  // 0: the thirty lines
  std::string source;
  uint64_t rounds;  // of each turn

  struct Turn {
    Stages stages;
    double front_end = 0;  // by itself: in nobody's way in the processor's caches
  };
  std::vector<Turn> turns;

  double least_front_end() const { return std::ranges::min(turns, {}, &Turn::front_end).front_end; }
  const Stages& least() const {
    return std::ranges::min_element(turns, {}, [](const Turn& turn) { return median_of(turn.stages.whole); })->stages;
  }
};

constexpr uint64_t kTurns = 8;

std::vector<Subject> subjects(uint64_t rounds) {
  std::vector<Subject> all;
  all.push_back({0, std::string(kThirtyLines), std::max<uint64_t>(rounds / kTurns, 1), {}});
  for (const size_t kib : {1, 4, 16, 64, 256, 512, 1024})
    all.push_back({kib, module_of(kib * 1024), std::max<uint64_t>(rounds / kTurns / kib, 1), {}});
  return all;
}

Status take_turn(Subject& subject) {
  Subject::Turn turn;
  if (subject.kib != 0) {
    KEM_TRY(const Samples alone, measure_front_end(subject.source, subject.rounds * 4));
    turn.front_end = median_of(alone);
  }
  KEM_TRY(turn.stages, measure(subject.source, {}, subject.rounds));
  subject.turns.push_back(std::move(turn));
  return {};
}

void add_thirty_lines(std::vector<BenchRow>& rows, const Subject& lines) {
  add_stages(rows, "30 lines", lines.least(), Target{Target::Kind::AtMost, 1000});
  Samples all;
  for (const Subject::Turn& turn : lines.turns)
    all.insert(all.end(), turn.stages.whole.begin(), turn.stages.whole.end());
  rows.push_back({"30 lines: in all turns", median_of(std::move(all)), "us", {}, {}});
}

// Whether time grows with size alone: the front-end's speed at each size, and the whole chain's time per KiB beside
// that of 16 KiB.
void add_sizes(std::vector<BenchRow>& rows, std::span<const Subject> modules) {
  std::optional<double> usual;
  for (const Subject& module : modules) {
    const auto bytes = static_cast<double>(module.source.size());
    rows.push_back({size_name(module.kib) + ": front-end",
                    bytes / module.least_front_end(),
                    "MB/s",
                    {},
                    Target{Target::Kind::AtLeast, 20}});
    BenchRow row{size_name(module.kib) + ": WGSL to valid SPIR-V, per KiB",
                 median_of(module.least().whole) * 1024 / bytes,
                 "us",
                 {},
                 {}};
    if (usual) row.beside = {"at 16 KiB", *usual};
    if (module.kib == 16) usual = row.value;
    rows.push_back(std::move(row));
  }
}

Result<std::vector<BenchRow>> measure_all(uint64_t rounds) {
  std::vector<BenchRow> rows;
  std::vector<Subject> all = subjects(rounds);
  for (uint64_t turn = 0; turn < kTurns; ++turn) {
    for (Subject& subject : all) KEM_CHECK(take_turn(subject));
  }
  add_thirty_lines(rows, all.front());
  add_sizes(rows, std::span(all).subspan(1));
  return rows;
}

}  // namespace

Result<std::vector<BenchRow>> bench_check(const std::vector<std::string>& files, uint64_t rounds) {
  std::vector<BenchRow> rows;
  for (const std::string& path : files) {
    KEM_TRY(const std::string source, read_text(path, device_free_options().limits.source_bytes));
    KEM_TRY(BenchRow row, measure_check(std::filesystem::path(path).filename().string(), source, rounds));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<BenchRow>> bench_compile(size_t kib, uint64_t rounds) {
  std::vector<BenchRow> rows;
  KEM_TRY(const Stages stages, measure(module_of(kib * 1024), {}, rounds));
  add_stages(rows, size_name(kib), stages, {});
  return rows;
}

Result<std::vector<BenchRow>> bench_compile(const std::vector<std::string>& files,
                                            const std::optional<std::string>& entry, uint64_t rounds) {
  std::vector<BenchRow> rows;
  KEM_TRY(const double first, median_time(1, [] {
            spirv::warm_up();
            return Status{};
          }));
  rows.push_back({"glslang's start, once a process", first, "us", {}, {}});
  for (const std::string& path : files) {
    KEM_TRY(const std::string source, read_text(path, device_free_options().limits.source_bytes));
    KEM_TRY(const Stages stages, measure(source, entry, rounds));
    add_stages(rows, std::filesystem::path(path).filename().string(), stages, {});
  }
  if (!files.empty()) return rows;
  KEM_TRY(std::vector<BenchRow> measured, measure_all(rounds));
  std::ranges::move(measured, std::back_inserter(rows));
  return rows;
}

}  // namespace kem::cli
