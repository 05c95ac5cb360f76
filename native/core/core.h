// The engine: takes jobs, runs them through fetch, compile, pipeline and dispatch on its own threads, and hands
// the result to the job's client. Joins the other folders; knows no Erlang.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arweave/arweave.h"
#include "base/limits.h"
#include "base/page_pool.h"
#include "base/result.h"
#include "vulkan/vulkan.h"
#include "wgsl/wgsl.h"

namespace kem::core {

struct Config {
  arweave::Config arweave;
  vulkan::DeviceOptions device;
  Limits limits;
  // Most loop iterations of one invocation before the kernel ends with LoopBudgetExhausted. Not set: what the
  // device is known to run rightly, else unlimited.
  std::optional<uint32_t> loop_budget;
  // For measurements: whether kernels count their loops, whatever the device needs. No variable sets it.
  std::optional<bool> count_loops;
  wgsl::LanguageExtensions language_extensions = wgsl::LanguageExtensions::All;

  // Sets one option by the name of its environment variable: KEM_GATEWAYS (comma-separated), KEM_KERNEL_STORE,
  // KEM_CACHE_DIR (empty: no disk cache), KEM_CA_FILE, KEM_DEVICE, KEM_VALIDATION (0 or 1), KEM_JOB_TIMEOUT_MS,
  // KEM_MAX_INPUT_BYTES, KEM_MAX_OUTPUT_BYTES, KEM_MAX_IN_FLIGHT_BYTES, KEM_MAX_RESIDENT_BYTES, KEM_QUEUE_LENGTH,
  // KEM_LOOP_BUDGET, KEM_LANGUAGE_EXTENSIONS (all or first), KEM_POLL_US; see the README's table. InvalidArgument for
  // an unknown name or a value out of its range.
  Status set(std::string_view variable, std::string_view value);
  static std::span<const std::string_view> variables();

  // Defaults, then every variable that `lookup` (getenv in the first form) knows. The disk cache is
  // $XDG_CACHE_HOME/kem or $HOME/.cache/kem where KEM_CACHE_DIR is not set; `default_store` is used where
  // KEM_KERNEL_STORE is not set. A bad value is an error, never ignored.
  static Result<Config> from_environment(std::filesystem::path default_store);
  using Lookup = std::function<std::optional<std::string>(std::string_view)>;
  static Result<Config> from_variables(const Lookup& lookup, std::filesystem::path default_store);
};

struct KernelId {
  std::string txid;
};
struct KernelText {
  std::string wgsl;
};

// How many output bytes: a multiple of the input (InvalidArgument for 0 and for a ratio that no input could
// satisfy), or exactly so many. More than Limits::output_bytes is OutputTooLarge.
struct OutputHint {
  uint64_t ratio = 1;
};
struct OutputBytes {
  uint64_t bytes = 0;
};

// How many workgroups. Linear: enough for ceil(output / 4) invocations along x. Grid: width and height are
// params words 0 and 1. Or exactly these.
struct DispatchLinear {};
struct DispatchGrid {};
struct DispatchWorkgroups {
  std::array<uint64_t, 3> count{1, 1, 1};
};

// A call of the device's contract: group 0, binding 0 input, 1 output, 2 params. The spans' memory belongs to
// the job's Client and stays valid until the Client is destroyed. The kernel must use binding 1; it may leave
// binding 0 and 2 unused. A kernel that uses binding 2 needs params (InvalidBinding without them); params given
// to a kernel that does not use them only tell the grid.
struct Job {
  std::variant<KernelId, KernelText> kernel;
  std::string entry_point = "main";
  std::vector<wgsl::Constant> constants;
  std::span<const uint8_t> input;
  std::optional<std::span<const uint8_t>> params;
  std::span<const uint8_t> immediates;  // first bytes of the kernel's var<immediate>; the rest is zeros
  std::variant<OutputHint, OutputBytes> output;
  std::variant<DispatchLinear, DispatchGrid, DispatchWorkgroups> dispatch;
  bool image = false;  // decode a PNG or JPEG input to RGBA8 and encode the output as PNG; other input stays raw
  std::chrono::milliseconds time_limit{0};  // 0: Limits::job_time
  std::optional<size_t> device;             // among Stats::devices; not set: that on which the least is in flight
};

// Device memory that outlives jobs: zeros at first. Belongs to the engine that made it, which frees the memory on a
// thread of its own some time after the last reference has gone, and with the engine at the latest: what is done with
// it after that, or after the loss of its device, is DeviceLost. References may be dropped on any thread.
//
// Jobs, reads and writes that use a buffer happen in the order of their submission, those that only read it perhaps at
// the same time. After a job that failed, the bytes of the buffers that it was to write are any.
class Buffer {
 public:
  virtual uint64_t size() const = 0;  // bytes, as asked for. Kernels see whole words; what is added may be written to

 protected:
  ~Buffer() = default;
};
using BufferReference = std::shared_ptr<Buffer>;

// Several calls as one submission, without anything coming back in between.
struct Chain {
  struct Kernel {
    std::variant<KernelId, KernelText> id;
    std::string entry_point = "main";
    std::vector<wgsl::Constant> constants;
  };
  // As in Job, but for buffers. A buffer may not be input and output of one step.
  struct Step {
    size_t kernel = 0;  // index into `kernels`
    // Nothing: the kernel leaves binding 0 unused, and the output's size is told by `output`.
    std::variant<std::monostate, std::span<const uint8_t>, BufferReference> input;
    std::optional<std::span<const uint8_t>> params;
    std::span<const uint8_t> immediates;
    std::variant<OutputHint, OutputBytes, BufferReference> output;
    std::variant<DispatchLinear, DispatchGrid, DispatchWorkgroups> dispatch;
  };

  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  std::vector<uint32_t> order;  // indices into `steps`: which run, one after the other; a step may come often
  bool independent = false;     // no step needs what another one writes
  std::chrono::milliseconds time_limit{0};
  std::optional<size_t> device;  // as in Job; with buffers: theirs, which must be one
};

// Wall time of each stage; zero where a cache answered. Of a chain: the sum over its kernels.
struct StageTimes {
  std::chrono::nanoseconds queue{0}, fetch{0}, front_end{0}, spirv{0}, pipeline{0}, upload{0}, execute{0}, readback{0};
  void add(const StageTimes& other);
};

struct Report {
  StageTimes times;
  std::string kernel_origin;  // arweave::Kernel::origin, or "text"; of a chain: its first kernel's
  std::string warnings;       // rendered WGSL warnings; of a chain: those of all its kernels
  size_t device = 0;          // that ran it, among Stats::devices
};

// The submitter's side of a job. Methods are called on the engine's threads, never two at once, never after
// done(). The engine destroys the client right after done().
class Client {
 public:
  virtual ~Client() = default;
  // Memory for the output, exactly `bytes` long, owned by the client; empty span with bytes > 0: OutOfMemory. For a
  // chain once for each step whose output is no buffer, in their order.
  virtual std::span<uint8_t> allocate_output(size_t bytes) = 0;
  // Keeps the job's input and what lend_output() gives as long as it is held, on whatever thread, the client's end
  // notwithstanding: the device may use both in place, and go on for a while after a job that has been given up. Null
  // if nothing is lent. Asked for at most once, and before lend_output().
  virtual std::shared_ptr<const void> lender() { return nullptr; }
  // In place of allocate_output(): pages, whose first bytes the output is. Null: there are none.
  virtual const Pages* lend_output(size_t, PageContent) { return nullptr; }
  // The job's end, exactly once. On success the span from allocate_output holds the output. On the submitter's own
  // thread only within a patient submit().
  virtual void done(Result<Report> result) noexcept = 0;
};

// Identifies a submitted job for cancel(). Never reused within an Engine.
using JobId = uint64_t;

// Any bindings at all, for tools and test harnesses.
struct BindingArgument {
  uint32_t group = 0;
  uint32_t binding = 0;
  std::span<uint8_t> bytes;  // initial contents; the new contents after (uniforms and read-only: unchanged)
};
struct BindingJob {
  std::string wgsl;
  std::string entry_point = "main";
  std::vector<wgsl::Constant> constants;
  std::array<uint64_t, 3> workgroups{1, 1, 1};
  std::vector<BindingArgument> bindings;
  std::vector<uint8_t> immediates;  // as in Job
  std::chrono::milliseconds time_limit{0};
};

struct DeviceStats {
  vulkan::DeviceInfo info;
  bool open = false;             // false: it is being opened, or cannot be
  uint64_t jobs_in_flight = 0;   // that are on it or about to be
  uint64_t in_flight_bytes = 0;  // of these
  uint64_t jobs_done = 0;
  uint64_t resident_bytes = 0;
  uint64_t losses = 0;  // how often it was lost, and opened anew
};

struct Stats {
  uint64_t jobs_done = 0, jobs_failed = 0, queued = 0, cached_programs = 0, cached_pipelines = 0;
  uint64_t in_flight_bytes = 0;  // input and output of the jobs that wait or run
  uint64_t resident_bytes = 0;   // of resident buffers, those included that are about to be freed
  // Of the devices that are open now, together:
  vulkan::MemoryUsage device_memory;
  uint64_t validation_messages = 0;
  std::vector<DeviceStats> devices;  // empty before they are chosen
};

// Thread-safe. Creation is cheap: device, fetcher and glslang start in the background or on first use.
class Engine {
 public:
  static std::unique_ptr<Engine> create(Config config);
  // Cancels what waits or runs and joins every thread. Not to be called from a Client's methods.
  virtual ~Engine() = default;

  // Takes microseconds. Busy if the queue is full or too many bytes are in flight, InputTooLarge or OutputTooLarge if
  // the job alone has more than may be in flight (the client is destroyed unused); otherwise done() will be called.
  // With patience the calling thread may wait so long for a job that promises to be over by then: done() may have been
  // called on it when submit() returns.
  virtual Result<JobId> submit(Job job, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) = 0;
  Result<JobId> submit(Job job, std::unique_ptr<Client> client) {
    return submit(std::move(job), std::move(client), std::chrono::nanoseconds(0));
  }
  // The same for a chain; takes a microsecond more for each of `steps`. Also InvalidArgument (buffers of several
  // devices, or of another than Chain::device), DeviceLost.
  virtual Result<JobId> submit(Chain chain, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) = 0;

  // Waits for a device to be open. Without `device` the memory is of that which has the least of it in buffers, and
  // what runs with the buffer runs there. InvalidArgument (no bytes, no such device), OutOfMemory
  // (Limits::resident_bytes, or the device's), OutputTooLarge (over what the device binds).
  virtual Result<BufferReference> make_buffer(uint64_t bytes, std::optional<size_t> device) = 0;
  Result<BufferReference> make_buffer(uint64_t bytes) { return make_buffer(bytes, std::nullopt); }
  // Jobs that copy bytes out of a buffer, into what the client allocates, or into it. InvalidArgument where they are
  // not within it, OutputTooLarge and InputTooLarge over the limits of calls; else as submit().
  virtual Result<JobId> read(BufferReference buffer, uint64_t offset, uint64_t bytes,
                             std::unique_ptr<Client> client) = 0;
  virtual Result<JobId> write(BufferReference buffer, uint64_t offset, std::span<const uint8_t> bytes,
                              std::unique_ptr<Client> client) = 0;

  // The job ends with Cancelled unless it has ended already. Unknown ids are ignored.
  virtual void cancel(JobId id) = 0;
  // Begins opening the devices and glslang's tables in the background, as the first submit() does. Idempotent.
  virtual void warm_up() = 0;

  // Synchronous forms for tools: block the calling thread.
  virtual Result<Report> execute(const BindingJob& job) = 0;
  // Front-end options with the device's features and limits, defaults where there is no device.
  virtual wgsl::Options wgsl_options() = 0;

  virtual Result<vulkan::DeviceInfo> adapter() = 0;  // the first device; waits for it to be opened
  // Waits until no device is being opened, at most so long. False if one still is.
  virtual bool wait_for_devices(std::chrono::nanoseconds at_most) = 0;
  virtual Result<arweave::Kernel> fetch(const std::string& txid) = 0;  // as a job would, on the calling thread
  virtual Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) = 0;
  virtual Stats stats() const = 0;
};

// Submits and waits: for tools.
struct Output {
  std::vector<uint8_t> bytes;
  Report report;
};
Result<Output> run(Engine& engine, const Job& job);

}  // namespace kem::core
