// kem bench loops: what it costs that loops count, on kernels whose time is all in their loops.
#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <limits>

#include "cli/bench.h"
#include "cli/engine.h"

namespace kem::cli {
namespace {

using Target = BenchRow::Target;

struct Problem {
  std::array<uint32_t, 4> params;
  std::array<uint64_t, 3> workgroups;
  size_t input_words, output_words;
};

// A size is of the problem's side: large enough, on the kind of device, that the loops take most of the time.
struct LoopKernel {
  std::string_view name;
  std::string_view wgsl;
  uint32_t cpu_size, gpu_size;
  Problem (*problem)(uint32_t size);
  size_t trips;  // the word of the params that bounds the loops
  bool has_target = true;
};

Problem product_of(uint32_t side, uint32_t tile) {
  const size_t cells = size_t{side} * side;
  return {{side, 0, 0, 0}, {side / tile, side / tile, 1}, 2 * cells, cells};
}

// The inner loops as people write them first: from global memory, nothing unrolled.
constexpr std::array kKernels{LoopKernel{"matrix product",
                                         R"(
@group(0) @binding(0) var<storage, read> factors: array<f32>;
@group(0) @binding(1) var<storage, read_write> product: array<f32>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) cell: vec3u) {
  let side = params.x;
  var sum = 0f;
  for (var k = 0u; k < side; k++) {
    sum = fma(factors[cell.y * side + k], factors[side * side + k * side + cell.x], sum);
  }
  product[cell.y * side + cell.x] = sum;
})",
                                         256, 4096, [](uint32_t n) { return product_of(n, 8); }, 0},
                              LoopKernel{"matrix product through workgroup memory",
                                         R"(
@group(0) @binding(0) var<storage, read> factors: array<f32>;
@group(0) @binding(1) var<storage, read_write> product: array<f32>;
@group(0) @binding(2) var<uniform> params: vec4u;
var<workgroup> rows: array<array<f32, 16>, 16>;
var<workgroup> columns: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) local: vec3u, @builtin(global_invocation_id) cell: vec3u) {
  let side = params.x;
  var sum = 0f;
  for (var base = 0u; base < side; base += 16u) {
    rows[local.y][local.x] = factors[cell.y * side + base + local.x];
    columns[local.y][local.x] = factors[side * side + (base + local.y) * side + cell.x];
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      sum = fma(rows[local.y][k], columns[k][local.x], sum);
    }
    workgroupBarrier();
  }
  product[cell.y * side + cell.x] = sum;
})",
                                         256, 4096, [](uint32_t n) { return product_of(n, 16); }, 0},
                              LoopKernel{"N-body",
                                         R"(
@group(0) @binding(0) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> pulls: array<vec4f>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let own = bodies[id.x].xyz;
  var pull = vec3f();
  for (var i = 0u; i < params.x; i++) {
    let other = bodies[i];
    let apart = other.xyz - own;
    let reciprocal = inverseSqrt(dot(apart, apart) + 0.0025);
    pull += other.w * reciprocal * reciprocal * reciprocal * apart;
  }
  pulls[id.x] = vec4f(pull, 0.0);
})",
                                         2048, 131072,
                                         [](uint32_t n) {
                                           return Problem{{n, 0, 0, 0}, {n / 64, 1, 1}, size_t{4} * n, size_t{4} * n};
                                         },
                                         0},
                              LoopKernel{"Mandelbrot, 1000 steps",
                                         R"(
@group(0) @binding(0) var<storage, read> view: array<f32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = vec2f(id.xy) / f32(params.x) * 3.0 + vec2f(-2.25 + view[0], -1.5);
  var z = vec2f();
  var n = 0u;
  while n < params.y {
    let squares = z * z;
    if squares.x + squares.y > 4.0 { break; }
    z = vec2f(squares.x - squares.y, 2.0 * z.x * z.y) + c;
    n++;
  }
  steps[id.y * params.x + id.x] = n;
})",
                                         256, 8192,
                                         [](uint32_t n) {
                                           return Problem{{n, 1000, 0, 0}, {n / 8, n / 8, 1}, 4, size_t{n} * n};
                                         },
                                         1},
                              LoopKernel{"Collatz steps (each iteration counts)",
                                         R"(
@group(0) @binding(0) var<storage, read> unused: array<u32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;
@group(0) @binding(2) var<uniform> params: vec4u;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var n = select(1u, id.x % 65536u + 1u, params.x != 0u);
  var count = unused[0];
  while n != 1u {
    n = select(n / 2u, 3u * n + 1u, (n & 1u) == 1u);
    count++;
  }
  steps[id.x] = count;
})",
                                         1 << 15, 1 << 24,
                                         [](uint32_t n) {
                                           return Problem{{n, 0, 0, 0}, {n / 64, 1, 1}, 1, size_t{n}};
                                         },
                                         0, false}};

// A device without a limit has no budget by itself: one that no kernel here comes near.
constexpr uint32_t kBudget = 1u << 30;

// An engine, and the memory of a kernel's bindings.
class Runner {
 public:
  static Result<Runner> create(bool count_loops) {
    KEM_TRY(core::Config config, engine_config());
    config.count_loops = count_loops;
    if (count_loops) config.loop_budget = kBudget;
    config.arweave.cache.clear();
    return Runner(core::Engine::create(std::move(config)));
  }

  core::Engine& engine() { return *engine_; }

  // What the device took, in microseconds: its time, or the process's work where the device is the processor, for
  // other programs on the machine don't add to that.
  Result<double> run(std::string_view wgsl, const Problem& problem, bool is_cpu) {
    params_ = std::bit_cast<decltype(params_)>(problem.params);
    input_.resize(problem.input_words * 4);
    output_.resize(problem.output_words * 4);
    core::BindingJob job;
    job.wgsl = wgsl;
    job.workgroups = problem.workgroups;
    job.bindings = {{0, 0, input_}, {0, 1, output_}, {0, 2, params_}};
    const std::clock_t begin = std::clock();
    KEM_TRY(const core::Report report, engine_->execute(job));
    if (is_cpu) return static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC;
    return static_cast<double>(report.times.execute.count()) / 1000;
  }

 private:
  explicit Runner(std::unique_ptr<core::Engine> engine) : engine_(std::move(engine)) {}

  std::unique_ptr<core::Engine> engine_;
  std::vector<uint8_t> input_, output_;
  std::array<uint8_t, 16> params_{};
};

// By turns, so that all see the same machine; the least of each, as what disturbs a run only adds to it. What the same
// call takes when no loop runs, copies and submission, is not the loops' and is taken off.
Result<BenchRow> measure(const LoopKernel& kernel, Runner& counting, Runner& plain, uint64_t rounds, bool is_cpu) {
  const uint32_t size = is_cpu ? kernel.cpu_size : kernel.gpu_size;
  const Problem problem = kernel.problem(size);
  Problem idle = problem;
  idle.params[kernel.trips] = 0;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  double with = kNever, without = kNever, around = kNever;
  for (uint64_t round = 0; round <= rounds; ++round) {
    KEM_TRY(const double counted, counting.run(kernel.wgsl, problem, is_cpu));
    KEM_TRY(const double uncounted, plain.run(kernel.wgsl, problem, is_cpu));
    KEM_TRY(const double nothing, plain.run(kernel.wgsl, idle, is_cpu));
    if (round == 0) continue;
    with = std::min(with, counted);
    without = std::min(without, uncounted);
    around = std::min(around, nothing);
  }
  return BenchRow{std::string(kernel.name) + ", size " + std::to_string(size), with - around, "us",
                  BenchRow::Beside{"not counting", without - around},
                  kernel.has_target ? std::optional(Target{Target::Kind::AtMost, is_cpu ? 1.10 : 1.05}) : std::nullopt};
}

}  // namespace

Result<std::vector<BenchRow>> bench_loops(uint64_t rounds) {
  KEM_TRY(Runner counting, Runner::create(true));
  KEM_TRY(Runner plain, Runner::create(false));
  KEM_TRY(const auto device, counting.engine().adapter());
  std::vector<BenchRow> rows;
  for (const LoopKernel& kernel : kKernels) {
    KEM_TRY(BenchRow row, measure(kernel, counting, plain, std::min<uint64_t>(rounds, 50), device.type == "cpu"));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace kem::cli
