// The Vulkan compute executor: one device for the life of the library, buffers, pipelines, dispatch, readback.
// The only user of Vulkan, which is loaded at run time through volk: a host without Vulkan gets an Error.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kem {
class Pages;
}

namespace kem::vulkan {

struct DeviceInfo {
  uint32_t index = 0;  // in the loader's enumeration
  std::string name;    // e.g. "llvmpipe (LLVM 15.0.6, 256 bits)"
  uint32_t vendor = 0;
  uint32_t device = 0;
  std::string type;         // discrete, integrated, virtual, cpu, other
  std::string driver;       // driverName
  std::string driver_info;  // driverInfo
  std::string uuid;         // deviceUUID, 32 hex digits
  uint32_t api_version = 0;
};

struct DeviceLimits {
  uint64_t max_storage_range = 0;
  uint64_t max_uniform_range = 0;
  std::array<uint32_t, 3> max_workgroup_count{};
  std::array<uint32_t, 3> max_workgroup_size{};
  uint32_t max_workgroup_invocations = 0;
  uint32_t max_shared_bytes = 0;
  uint32_t max_bound_descriptor_sets = 0;
  bool f16 = false;        // shaderFloat16 and 16-bit storage
  bool subgroups = false;  // compute stage: basic, vote, arithmetic, ballot, shuffle, shuffle relative, quad
  uint32_t subgroup_size = 0;
  // A compute pipeline may ask for a size from min to max (VK_EXT_subgroup_size_control); else both are the one size.
  bool subgroup_size_control = false;
  uint32_t min_subgroup_size = 0;
  uint32_t max_subgroup_size = 0;
  uint32_t max_workgroup_subgroups = 0;  // of a pipeline that asks for a size
  uint32_t max_storage_buffers = 0;      // of one pipeline
  uint32_t max_uniform_buffers = 0;
  uint32_t max_push_constant_bytes = 0;
  bool f16_push_constants = false;       // storagePushConstant16
  bool uniform_standard_layout = false;  // uniformBufferStandardLayout: std430 in uniform buffers
  // Iterations after which an invocation's loops end without a word, found by trying; 0: none (see loop_probe.h).
  uint32_t max_loop_iterations = 0;
  bool misreads_loop_exits = false;  // loops that are left behind their variable's step may not run at all
  // An input, and a result, of so many bytes and more is worth lending (Argument::lent).
  uint64_t least_lent_bytes = ~uint64_t{0};
  uint64_t least_lent_result_bytes = ~uint64_t{0};
  bool binds_lent = false;  // kernels work on lent memory itself: results must be zeros
};

struct DeviceOptions {
  // "": all of the best kind; one if they are CPUs. "all": all, whatever their kind. Else an index, a UUID or part of a
  // name (case-insensitive: the best of those that have it), or a list of these, separated by commas: its parts of
  // names are different devices, and an index or UUID that is in it twice is a device that is opened twice.
  std::string selector;
  size_t most = 32;         // devices of these
  bool validation = false;  // VK_LAYER_KHRONOS_validation if installed; see Device::validating, validation_log
  // How long a wait polls before it blocks; not set: 50 us on GPUs if the process has four cores or more, else 0.
  std::optional<std::chrono::microseconds> polling;
  // Called by open(), on its thread, when the drivers are loaded but not used yet: what a driver cleans up at the
  // process's exit is known from then on.
  std::function<void()> drivers_loaded;
  // Where what the driver made of pipelines is kept for the next process; empty: nowhere. See pipeline_store.h.
  std::filesystem::path pipeline_cache;
  // Most buffer memory that is kept between calls for the next ones: enough for a call of the largest default sizes,
  // 256 MiB in and out and as much of staging, as making it anew takes longer than the call.
  uint64_t retained_bytes = 5ull << 28;
};

// Every physical device that the loader shows, usable or not. NoDevice if there is no loader or no driver.
Result<std::vector<DeviceInfo>> enumerate();

class Pipeline;

enum class BufferKind { Uniform, StorageRead, StorageReadWrite };

struct LayoutBinding {
  uint32_t group = 0;
  uint32_t binding = 0;
  BufferKind kind = BufferKind::StorageRead;
};

struct PipelineDescription {
  std::span<const uint32_t> spirv;
  std::span<const LayoutBinding> bindings;
  uint32_t push_constant_bytes = 0;
  struct Specialization {
    uint32_t id;
    uint32_t value;
  };
  std::span<const Specialization> specializations;
  uint32_t subgroup_size = 0;  // required; 0: any. Only where DeviceLimits::subgroup_size_control
};

// Device memory that outlives calls; zeros at first. Belongs to the Device that made it and must be destroyed before
// it, and not while something that was started uses it. The device does not order what uses a buffer at the same time:
// that is the caller's affair.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual uint64_t size() const = 0;  // bytes, as asked for
};

// One buffer of a dispatch. Memory belongs to the caller and stays valid until run() returns.
struct Argument {
  uint32_t group = 0;
  uint32_t binding = 0;
  BufferKind kind = BufferKind::StorageRead;
  uint64_t size = 0;                 // bytes bound; a multiple of 4
  std::span<const uint8_t> initial;  // first bytes before the dispatch; the rest is zeros
  std::span<uint8_t> result;         // first bytes after it are copied here; empty: nothing is read back
  // Bound in place of memory of the call's own, `size` bytes from `offset` on; initial bytes, if there are any, are
  // written into it first, the others stay. Of a step that has no workgroups neither initial bytes nor a result.
  Buffer* resident = nullptr;
  uint64_t offset = 0;  // a multiple of Device::buffer_alignment()
  // Terms::lender keeps the memory, so the device may use it in place of memory of the call's own: `initial` of a
  // binding that is only read, or `result` of one that has no initial bytes. If DeviceLimits::binds_lent that must be
  // zeros, and where it begins with a page, the rest of its last page is of no use to anyone else: a kernel may write
  // up to `size`. Else the result may hold anything: all of it is overwritten before success is told.
  bool lent = false;
  bool only_written = false;     // the pipeline never reads it; if it does, that is slow and nothing worse
  const Pages* pages = nullptr;  // that a lent result is the begin of, if the lender keeps such
};

struct Dispatch {
  std::array<uint64_t, 3> workgroups{1, 1, 1};     // any count: run as several vkCmdDispatch where over a limit
  std::chrono::steady_clock::time_point deadline;  // Timeout once it has passed
  const std::atomic<bool>* cancelled = nullptr;    // Cancelled once it is true; looked at between slices
  std::span<const uint8_t> immediates{};  // the push constants from byte 32 on; what the pipeline has more is zeros
  // How long start() may wait for the end of a job that promises to be over by then. The completion may be told on the
  // calling thread before start() returns.
  std::chrono::nanoseconds patience{0};
  bool escort = false;                           // see Terms
  std::shared_ptr<const void> lender = nullptr;  // see Terms
  bool prepared_only = false;                    // see Terms
};

// One dispatch of several that are submitted together, in this order.
struct Step {
  const Pipeline* pipeline = nullptr;
  std::span<const Argument> arguments;
  std::array<uint64_t, 3> workgroups{1, 1, 1};
  std::span<const uint8_t> immediates{};  // as in Dispatch
  bool independent = false;               // needs nothing of what the steps before write: may run beside them
};

// Bytes of the device's memory.
struct MemoryUsage {
  uint64_t allocated = 0;  // that this device has allocated: buffers, and what is kept between calls for the next ones
  // Of the heaps that are the device's own, as the driver says (VK_EXT_memory_budget): what this process has of them,
  // and what it may have. 0: the driver does not say.
  uint64_t used = 0;
  uint64_t budget = 0;

  MemoryUsage& operator+=(const MemoryUsage& other) {
    allocated += other.allocated;
    used += other.used;
    budget += other.budget;
    return *this;
  }
};

// Until when the steps may run, and who waits; as in Dispatch.
struct Terms {
  std::chrono::steady_clock::time_point deadline;
  const std::atomic<bool>* cancelled = nullptr;
  std::chrono::nanoseconds patience{0};
  // start() may stay with a job of large results until its end, copying them piece by piece while the device delivers
  // the next ones, if the job promises to end soon. As with patience the completion may be told before it returns.
  bool escort = false;
  // Held until the device is done with the memory of lent arguments, after a Timeout and Cancelled too. Let go on any
  // thread.
  std::shared_ptr<const void> lender = nullptr;
  // start() returns false, and nothing has been done, unless memory, descriptors and commands are in place from an
  // earlier call of the same sizes.
  bool prepared_only = false;
};

struct RunTimes {
  std::chrono::nanoseconds upload{0};
  std::chrono::nanoseconds execute{0};  // submit to the fence
  std::chrono::nanoseconds readback{0};
};

class Device;

// Told the end of a started dispatch, once, on a thread of the device that serves others too: not to be blocked. Or, if
// the dispatch has patience, within start().
class Completion {
 public:
  virtual void ended(Result<RunTimes> result) noexcept = 0;

 protected:
  ~Completion() = default;
};

// A compute pipeline with its layout. Belongs to the Device that made it and must be destroyed before it, and
// not while a run() uses it.
class Pipeline {
 public:
  virtual ~Pipeline() = default;
};

class Device {
 public:
  // The first of the Selection.
  static Result<std::unique_ptr<Device>> open(const DeviceOptions& options);
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual const DeviceLimits& limits() const = 0;

  // Thread-safe. InvalidArgument (duplicate bindings, push constants between 1 and 31 bytes), UnsupportedKernel
  // (more bindings or groups than the device has), else what the driver says.
  virtual Result<std::unique_ptr<Pipeline>> make_pipeline(const PipelineDescription& description) = 0;

  // Uploads and submits on the calling thread, in microseconds for small arguments, and returns; the results are in
  // place when the completion is told. The arguments, their memory, the pipeline and the completion stay valid until
  // then. False: there was nothing to run, the results are in place already and the completion will not be told; the
  // same for an error. Thread-safe; calls are serialised where the device needs it.
  // The push constants are those of wgsl::Reflection: base and count of workgroups; a pipeline without them can't
  // be split, so its dispatch must be within max_workgroup_count. A workgroup count of 0 runs nothing: results
  // are the initial bytes and zeros.
  // Errors: InvalidBinding (arguments are not the pipeline's bindings, or one of size 0), InvalidArgument (a size
  // that is no multiple of 4, initial or result longer than size, a count over 2^32-1), InputTooLarge and
  // OutputTooLarge (over the device's range), Timeout, Cancelled, OutOfMemory, DeviceLost (this and every later
  // call), Busy (too many abandoned jobs still run). After Timeout and Cancelled the device may still be running
  // the job: its memory and pipeline objects stay until it ends, the caller's are free at once, but for what is lent.
  //
  // All initial bytes are in place before the first step; results are those after the last one. A step sees what the
  // steps before it wrote, unless it is independent.
  virtual Result<bool> start(std::span<const Step> steps, const Terms& terms, Completion& completion) = 0;
  Result<bool> start(const Pipeline& pipeline, std::span<const Argument> arguments, const Dispatch& dispatch,
                     Completion& completion);

  // Thread-safe. OutOfMemory, OutputTooLarge (over what one binding can have), InvalidArgument (size 0).
  virtual Result<std::unique_ptr<Buffer>> make_buffer(uint64_t size) = 0;
  // What offsets into a buffer are multiples of: a power of two, at most 256.
  virtual uint64_t buffer_alignment() const = 0;
  // Copies bytes out of a buffer or into it, on the calling thread, which waits. `offset` and the length may be any
  // within the buffer, else InvalidArgument.
  virtual Status read(const Buffer& buffer, uint64_t offset, std::span<uint8_t> to) = 0;
  virtual Status write(Buffer& buffer, uint64_t offset, std::span<const uint8_t> from) = 0;

  // What a workgroup of the pipeline took when it last ran by itself, submission and wait included; 0: unknown.
  virtual std::chrono::nanoseconds cost(const Pipeline& pipeline) const = 0;

  // Thread-safe. Asks the driver: microseconds.
  virtual MemoryUsage memory() const = 0;

  // start(), and waiting for the end.
  Result<RunTimes> run(const Pipeline& pipeline, std::span<const Argument> arguments, const Dispatch& dispatch);

  // Median time of an empty submit and its wait, over `rounds`: the floor that benchmarks compare with.
  virtual Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) = 0;

  // True if the validation layer was asked for and is there.
  virtual bool validating() const = 0;
  // Warnings and errors of the validation layer since the device was opened: how many, and the first texts.
  virtual uint64_t validation_messages() const = 0;
  virtual std::vector<std::string> validation_log() const = 0;
};

// The devices that DeviceOptions::selector names. What is best is told by their kind: discrete, integrated, virtual,
// CPU.
class Selection {
 public:
  static constexpr size_t kMost = 32;  // whatever the options say
  // Waits for the drivers to tell of their devices. NoDevice says what was found and why each was passed over.
  static Result<std::unique_ptr<Selection>> make(const DeviceOptions& options);
  virtual ~Selection() = default;

  virtual std::span<const DeviceInfo> devices() const = 0;  // from 1 to kMost
  // Opens one of them: for the first time or, when it was lost, again. Thread-safe; several may be opened at once. If
  // none of them could be opened, the next best that the selector allows is.
  virtual Result<std::unique_ptr<Device>> open(size_t index) = 0;
};

}  // namespace kem::vulkan
