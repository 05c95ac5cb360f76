// Stand-ins for the folders below the engine, which tests slow down, break and count, and a client that remembers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/engine.h"

namespace kem::core {

using namespace std::chrono_literals;

// Long enough that only a hang reaches it.
constexpr auto kHang = 60s;
inline const std::string kId(43, 'A');
inline const std::string kOtherId = std::string(42, 'B') + "A";

// A door that what is behind waits at until it is opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  bool wait_arrived(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kHang, [&] { return arrived_ >= count; });
  }
  void pass_unless(const std::atomic<bool>* cancelled, Clock::time_point deadline = Clock::time_point::max()) {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    while (!open_ && !(cancelled && *cancelled) && Clock::now() < deadline) changed_.wait_for(lock, 5ms);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

// What is one device's own.
struct FakeOne {
  std::atomic<int> opens{0}, pipelines{0}, runs{0}, live_buffers{0}, copies{0};
  std::atomic<bool> lose{false};  // with the next run or copy
  std::atomic<bool> fails_to_open{false}, unsupported{false}, no_memory{false};
  Gate* open_gate = nullptr;
  Gate* run_gate = nullptr;
  Gate* pipeline_gate = nullptr;
  Gate* start_gate = nullptr;     // where start() is held up behind its work
  uint32_t shared_bytes = 16384;  // a limit that kernels are compiled for
};

struct World {
  size_t devices = 1;
  std::array<FakeOne, 4> one;
  std::atomic<int> fetches{0}, compiles{0}, pipelines{0}, runs{0}, opens{0}, live_pipelines{0};
  std::atomic<bool> lose_device{false}, throw_in_compile{false}, trip_trap{false}, no_device{false};
  std::atomic<bool> refuse_start{false}, prepared{true};
  std::atomic<int> started_by_submitter{0}, freed_by_submitter{0}, live_buffers{0}, copies{0}, steps{0}, independent{0};
  const std::thread::id submitter = std::this_thread::get_id();
  std::atomic<std::chrono::nanoseconds> patience{0ns};  // of the last dispatch
  std::atomic<uint32_t> budget{0}, group{0};            // specialization constants 0 and 1
  std::atomic<Gate*> fetch_gate{nullptr};
  std::string gated_id = kId;
  Gate* run_gate = nullptr;
  Gate* copy_gate = nullptr;
  Gate* abandoned_gate = nullptr;  // a cancelled run goes on until it is opened
  Gate* compile_gate = nullptr;
  bool with_trap = false;
  size_t spirv_words = 1;
  std::map<std::string, std::string, std::less<>> sources;
  std::deque<Gate> gates;  // here, because the engine's threads may be at them until it goes

  Gate& new_gate() { return gates.emplace_back(); }
};

class FakeFetcher final : public arweave::Fetcher {
 public:
  explicit FakeFetcher(World& world) : world_(world) {}
  Result<arweave::Kernel> fetch(std::string_view id, const std::atomic<bool>* cancelled) override {
    ++world_.fetches;
    if (Gate* const gate = world_.fetch_gate; gate != nullptr && id == world_.gated_id) {
      gate->pass_unless(cancelled);
      if (*cancelled) return fail(ErrorClass::Cancelled, "the fetch was cancelled");
    }
    const auto found = world_.sources.find(id);
    if (found == world_.sources.end()) return fail(ErrorClass::KernelNotFound, "no such kernel");
    return arweave::Kernel{found->second, "fake"};
  }

 private:
  World& world_;
};

class FakeCompiler final : public Compiler {
 public:
  explicit FakeCompiler(World& world) : world_(world) {}
  Result<CompiledShader> compile(const ShaderRequest& request, StageTimes& times) override {
    ++world_.compiles;
    if (world_.compile_gate) world_.compile_gate->pass();
    if (world_.throw_in_compile) throw std::bad_alloc();
    if (request.source == "bad") return fail(ErrorClass::InvalidKernel, "kernel:1:1 error: bad");
    times.front_end = 5us;
    CompiledShader shader;
    shader.spirv.assign(world_.spirv_words, 0x07230203);
    shader.warnings = "a warning";
    wgsl::Binding in, out;
    in.min_size = out.min_size = 4;
    out.binding = 1;
    out.kind = wgsl::BindingKind::StorageReadWrite;
    shader.reflection.entry_point = request.entry_point;
    shader.reflection.bindings = {in, out};
    if (request.source == "in place") shader.reflection.bindings = {out};
    if (world_.with_trap) shader.reflection.trap = wgsl::Reflection::Trap{3, 4};
    return shader;
  }
  void warm_up() override {}
  size_t cached_programs() const override { return 0; }

 private:
  World& world_;
};

class FakePipeline final : public vulkan::Pipeline {
 public:
  FakePipeline(World& world, std::atomic<int>& of_device) : world_(world), of_device_(of_device) {
    ++world_.live_pipelines;
    ++of_device_;
  }
  ~FakePipeline() override {
    --of_device_;
    --world_.live_pipelines;
  }

 private:
  World& world_;
  std::atomic<int>& of_device_;
};

// Bytes, and whoever uses them right now.
class FakeBuffer final : public vulkan::Buffer {
 public:
  FakeBuffer(World& world, std::atomic<int>& of_device, uint64_t bytes)
      : world_(world), of_device_(of_device), data(bytes) {
    ++world_.live_buffers;
    ++of_device_;
  }
  ~FakeBuffer() override {
    EXPECT_EQ(readers + writers, 0) << "a buffer goes while it is used";
    world_.freed_by_submitter += std::this_thread::get_id() == world_.submitter;
    --of_device_;
    --world_.live_buffers;
  }
  uint64_t size() const override { return data.size(); }

  // For the life of a use: only reads happen at the same time.
  class Use {
   public:
    Use(FakeBuffer& buffer, bool writes) : count_(writes ? buffer.writers : buffer.readers) {
      ++count_;
      EXPECT_LE(buffer.writers, 1) << "two write a buffer at once";
      EXPECT_TRUE(buffer.writers == 0 || buffer.readers == 0) << "a buffer is read while it is written";
    }
    ~Use() { --count_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<int>& count_;
  };

 private:
  World& world_;
  std::atomic<int>& of_device_;

 public:
  std::vector<uint8_t> data;
  std::atomic<int> readers{0}, writers{0};
};

// Doubles bytes: argument 0 to argument 1.
class FakeDevice final : public vulkan::Device {
 public:
  using Device::start;

  FakeDevice(World& world, size_t index) : world_(world), one_(world.one[index]) {
    info_.name = index == 0 ? "fake" : "fake " + std::to_string(index);
    info_.index = static_cast<uint32_t>(index);
    limits_.max_shared_bytes = one_.shared_bytes;
    limits_.max_storage_range = 1u << 30;
    limits_.max_uniform_range = 65536;
  }
  ~FakeDevice() override {
    EXPECT_EQ(starting_, 0) << "the device goes while it starts a job";
    runs_.clear();
    EXPECT_EQ(live_pipelines_, 0) << "a pipeline outlives its device";
    EXPECT_EQ(live_buffers_, 0) << "a buffer outlives its device";
  }
  const vulkan::DeviceInfo& info() const override { return info_; }
  const vulkan::DeviceLimits& limits() const override { return limits_; }
  Result<std::unique_ptr<vulkan::Pipeline>> make_pipeline(const vulkan::PipelineDescription& description) override {
    ++world_.pipelines;
    ++one_.pipelines;
    if (one_.pipeline_gate) one_.pipeline_gate->pass();
    if (one_.unsupported) return fail(ErrorClass::UnsupportedKernel, "not on this device");
    for (const auto& [id, value] : description.specializations) (id == 0 ? world_.budget : world_.group) = value;
    return std::make_unique<FakePipeline>(world_, live_pipelines_);
  }
  Result<std::unique_ptr<vulkan::Buffer>> make_buffer(uint64_t size) override {
    if (world_.refuse_start) return fail(ErrorClass::DeviceLost, "lost");
    if (one_.no_memory) return fail(ErrorClass::OutOfMemory, "full");
    EXPECT_EQ(size % 4, 0u);
    return std::make_unique<FakeBuffer>(world_, live_buffers_, size);
  }
  uint64_t buffer_alignment() const override { return 256; }
  Status read(const vulkan::Buffer& buffer, uint64_t offset, std::span<uint8_t> to) override {
    auto& fake = const_cast<FakeBuffer&>(static_cast<const FakeBuffer&>(buffer));
    const FakeBuffer::Use use(fake, false);
    KEM_CHECK(enter_copy());
    std::copy_n(fake.data.begin() + static_cast<ptrdiff_t>(offset), to.size(), to.begin());
    return {};
  }
  Status write(vulkan::Buffer& buffer, uint64_t offset, std::span<const uint8_t> from) override {
    auto& fake = static_cast<FakeBuffer&>(buffer);
    const FakeBuffer::Use use(fake, true);
    KEM_CHECK(enter_copy());
    std::copy(from.begin(), from.end(), fake.data.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  Result<bool> start(std::span<const vulkan::Step> steps, const vulkan::Terms& terms,
                     vulkan::Completion& completion) override {
    ++starting_;
    auto running = start_run(steps, terms, completion);
    if (one_.start_gate) one_.start_gate->pass();
    --starting_;
    return running;
  }
  Result<bool> start_run(std::span<const vulkan::Step> steps, const vulkan::Terms& terms,
                         vulkan::Completion& completion) {
    if (world_.refuse_start) return fail(ErrorClass::DeviceLost, "lost");
    if (terms.prepared_only && !world_.prepared) return false;
    if (std::this_thread::get_id() == world_.submitter) ++world_.started_by_submitter;
    world_.patience = terms.patience;
    world_.steps += static_cast<int>(steps.size());
    if (!steps.empty() && steps[0].independent) ++world_.independent;
    if (terms.patience > 0ns) {
      completion.ended(run(steps, terms));
      return true;
    }
    const std::lock_guard lock(mutex_);
    std::vector<vulkan::Step> kept(steps.begin(), steps.end());
    runs_.emplace_back([this, kept, held = terms, &completion]() mutable {
      vulkan::Terms own = std::move(held);
      auto result = run(kept, own);
      const bool abandoned = !result && world_.abandoned_gate != nullptr;
      if (!abandoned) own.lender.reset();
      completion.ended(std::move(result));
      if (abandoned) world_.abandoned_gate->pass();
    });
    return true;
  }
  std::chrono::nanoseconds cost(const vulkan::Pipeline&) const override { return {}; }
  Result<vulkan::RunTimes> run(std::span<const vulkan::Step> steps, const vulkan::Terms& terms) {
    ++world_.runs;
    ++one_.runs;
    const auto uses = use_all(steps);
    if (world_.run_gate) world_.run_gate->pass_unless(terms.cancelled, terms.deadline);
    if (one_.run_gate) one_.run_gate->pass_unless(terms.cancelled, terms.deadline);
    if (*terms.cancelled) return fail(ErrorClass::Cancelled, "the run was cancelled");
    if (std::chrono::steady_clock::now() >= terms.deadline) return fail(ErrorClass::Timeout, "the run took too long");
    if (one_.lose.exchange(false) || world_.lose_device.exchange(false)) return fail(ErrorClass::DeviceLost, "lost");
    for (const vulkan::Step& step : steps) double_bytes(step.arguments);
    return vulkan::RunTimes{1us, 2us, 3us};
  }
  vulkan::MemoryUsage memory() const override { return {}; }
  Result<std::chrono::nanoseconds> measure_empty_submit(int) override { return 1us; }
  bool validating() const override { return false; }
  uint64_t validation_messages() const override { return 0; }
  std::vector<std::string> validation_log() const override { return {}; }

 private:
  Status enter_copy() {
    ++world_.copies;
    ++one_.copies;
    if (world_.copy_gate) world_.copy_gate->pass();
    if (world_.lose_device.exchange(false)) return fail(ErrorClass::DeviceLost, "lost");
    return {};
  }
  // Steps of one chain use their buffers one after the other: each counts once.
  static std::vector<std::unique_ptr<FakeBuffer::Use>> use_all(std::span<const vulkan::Step> steps) {
    std::map<FakeBuffer*, bool> writes;
    for (const vulkan::Step& step : steps) {
      for (const vulkan::Argument& argument : step.arguments) {
        if (argument.resident == nullptr) continue;
        bool& written = writes[static_cast<FakeBuffer*>(argument.resident)];
        written = written || argument.kind == vulkan::BufferKind::StorageReadWrite;
      }
    }
    std::vector<std::unique_ptr<FakeBuffer::Use>> uses;
    uses.reserve(writes.size());
    for (const auto& [buffer, written] : writes) uses.push_back(std::make_unique<FakeBuffer::Use>(*buffer, written));
    return uses;
  }
  static std::span<uint8_t> bytes_of(const vulkan::Argument& argument) {
    auto& buffer = static_cast<FakeBuffer&>(*argument.resident);
    EXPECT_LE(argument.offset + argument.size, buffer.data.size());
    return std::span(buffer.data).subspan(argument.offset, argument.size);
  }
  // A kernel without an input doubles in place.
  void double_bytes(std::span<const vulkan::Argument> arguments) {
    const bool in_place = arguments[0].binding == 1;
    const vulkan::Argument& to = arguments[in_place ? 0 : 1];
    const std::span<uint8_t> output = to.resident != nullptr ? bytes_of(to) : to.result;
    std::span<const uint8_t> input = output;
    if (!in_place) input = arguments[0].resident != nullptr ? bytes_of(arguments[0]) : arguments[0].initial;
    for (size_t i = 0; i < output.size(); ++i) {
      output[i] = i < input.size() ? static_cast<uint8_t>(input[i] * 2) : uint8_t{0};
    }
    if (world_.trip_trap) arguments.back().result[0] = 1;
  }

  World& world_;
  FakeOne& one_;
  std::atomic<int> live_pipelines_{0};  // its own: after a loss two devices live for a moment
  std::atomic<int> live_buffers_{0};
  std::atomic<int> starting_{0};  // threads within start()
  vulkan::DeviceInfo info_;
  vulkan::DeviceLimits limits_;
  std::mutex mutex_;
  std::vector<std::jthread> runs_;
};

class FakeSelection final : public vulkan::Selection {
 public:
  explicit FakeSelection(World& world) : world_(world) {
    for (uint32_t i = 0; i < world.devices; ++i) {
      infos_.emplace_back().index = i;
      infos_.back().name = "chosen " + std::to_string(i);
    }
  }
  std::span<const vulkan::DeviceInfo> devices() const override { return infos_; }
  Result<std::unique_ptr<vulkan::Device>> open(size_t index) override {
    FakeOne& one = world_.one.at(index);
    ++world_.opens;
    ++one.opens;
    if (one.open_gate) one.open_gate->pass();
    if (world_.no_device || one.fails_to_open) return fail(ErrorClass::NoDevice, "none here");
    return std::make_unique<FakeDevice>(world_, index);
  }

 private:
  World& world_;
  std::vector<vulkan::DeviceInfo> infos_;
};

// What came of a job.
struct Outcome {
  std::vector<uint8_t> bytes;            // the last output
  std::deque<std::vector<uint8_t>> all;  // of a chain
  std::promise<Result<Report>> promise;
  std::future<Result<Report>> future = promise.get_future();
  std::atomic<int> done{0};
  std::atomic<std::thread::id> told_by;
};

class TestClient final : public Client {
 public:
  explicit TestClient(std::shared_ptr<Outcome> outcome) : outcome_(std::move(outcome)) {}
  std::span<uint8_t> allocate_output(size_t bytes) override {
    EXPECT_EQ(outcome_->done, 0);
    return outcome_->all.emplace_back(bytes);
  }
  void done(Result<Report> result) noexcept override {
    outcome_->told_by = std::this_thread::get_id();
    if (!outcome_->all.empty()) outcome_->bytes = outcome_->all.back();
    if (++outcome_->done == 1) outcome_->promise.set_value(std::move(result));
  }

 private:
  std::shared_ptr<Outcome> outcome_;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() {
    world.sources[kId] = "source";
    world.sources[kOtherId] = "source";
  }

  Engine& engine() {
    if (!engine_) {
      engine_ = make_engine(config, {std::make_unique<FakeFetcher>(world), std::make_unique<FakeCompiler>(world),
                                     [this]() -> Result<std::unique_ptr<vulkan::Selection>> {
                                       return std::make_unique<FakeSelection>(world);
                                     }});
    }
    return *engine_;
  }

  Job job(std::string id = kId) const {
    Job out;
    out.kernel = KernelId{std::move(id)};
    out.input = input;
    return out;
  }

  std::shared_ptr<Outcome> submit(Job what, JobId* id = nullptr) {
    auto outcome = std::make_shared<Outcome>();
    const auto submitted = engine().submit(std::move(what), std::make_unique<TestClient>(outcome));
    EXPECT_TRUE(submitted) << (submitted ? "" : submitted.error().message);
    if (id && submitted) *id = *submitted;
    return outcome;
  }

  static Result<Report> wait(const std::shared_ptr<Outcome>& outcome) {
    if (outcome->future.wait_for(kHang) != std::future_status::ready) {
      return fail(ErrorClass::Internal, "the job never ended");
    }
    return outcome->future.get();
  }

  static std::string error_name(const std::shared_ptr<Outcome>& outcome) {
    const auto result = wait(outcome);
    return result ? "ok" : std::string(name(result.error().error_class));
  }

  World world;
  Config config;
  std::vector<uint8_t> input{1, 3, 5, 7};
  std::unique_ptr<Engine> engine_;
};

}  // namespace kem::core
