// The engine on several real devices at once, under the validation layer: all that this machine's drivers show, and the
// first one twice, as there is seldom more than one where tests run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <numeric>
#include <set>
#include <thread>

#include "core/core.h"

namespace kem::core {
namespace {

constexpr std::string_view kAffine = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {
  if i.x < arrayLength(&b) { b[i.x] = a[i.x] * 3u + i.x; }
})";

// Takes a while on any device.
constexpr std::string_view kLong = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {
  var sum = a[i.x];
  for (var n = 0u; n < 20000u; n++) { sum = sum * 1664525u + 1013904223u; }
  b[i.x] = sum;
})";

using Words = std::vector<uint32_t>;

std::span<const uint8_t> bytes(const Words& words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4};
}

Words words(const std::vector<uint8_t>& bytes) {
  Words all(bytes.size() / 4);
  std::memcpy(all.data(), bytes.data(), all.size() * 4);
  return all;
}

Words affine(const Words& in) {
  Words out(in);
  for (uint32_t i = 0; i < out.size(); ++i) out[i] = in[i] * 3 + i;
  return out;
}

struct Collected {
  std::vector<uint8_t> output;
  std::promise<Result<Report>> promise;
};

class Collector final : public Client {
 public:
  explicit Collector(std::shared_ptr<Collected> into) : into_(std::move(into)) {}
  std::span<uint8_t> allocate_output(size_t count) override {
    into_->output.resize(count);
    return into_->output;
  }
  void done(Result<Report> result) noexcept override { into_->promise.set_value(std::move(result)); }

 private:
  std::shared_ptr<Collected> into_;
};

class SeveralDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto all = vulkan::enumerate();
    if (!all) GTEST_SKIP() << "no device to run on: " << all.error().message;
    Config config;
    config.device.validation = true;
    config.device.selector = "0";
    for (const vulkan::DeviceInfo& info : *all) config.device.selector += "," + std::to_string(info.index);
    count_ = all->size() + 1;
    engine_ = Engine::create(config);
    const auto adapter = engine_->adapter();
    ASSERT_TRUE(adapter) << adapter.error().message;
    ASSERT_TRUE(engine_->wait_for_devices(std::chrono::minutes(1)));
    ASSERT_EQ(engine_->stats().devices.size(), count_);
    for (const DeviceStats& device : engine_->stats().devices) ASSERT_TRUE(device.open) << device.info.name;
  }
  void TearDown() override {
    if (engine_) {
      EXPECT_EQ(engine_->stats().validation_messages, 0u);
    }
  }

  static Job job(std::string_view wgsl, const Words& in) {
    Job job;
    job.kernel = KernelText{std::string(wgsl)};
    job.input = bytes(in);
    return job;
  }
  template <class Submit>
  Result<Output> collect(Submit submit) {
    auto into = std::make_shared<Collected>();
    auto future = into->promise.get_future();
    KEM_CHECK(submit(std::make_unique<Collector>(into)));
    KEM_TRY(Report report, future.get());
    return Output{into->output, std::move(report)};
  }

  size_t count_ = 0;
  std::unique_ptr<Engine> engine_;
  std::vector<BufferReference> buffers_;
};

TEST_F(SeveralDevices, EachComputesTheSame) {
  Words in(100'000);
  std::iota(in.begin(), in.end(), 7u);
  for (size_t device = 0; device < count_; ++device) {
    Job pinned = job(kAffine, in);
    pinned.device = device;
    const auto output = run(*engine_, pinned);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->report.device, device);
    EXPECT_EQ(words(output->bytes), affine(in));
  }
}

TEST_F(SeveralDevices, CallsOfManyThreadsAreSpread) {
  Words in(256);
  std::iota(in.begin(), in.end(), 1u);
  Words expected(in);
  for (uint32_t& word : expected) {
    for (int n = 0; n < 20000; ++n) word = word * 1664525u + 1013904223u;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto all_have_run = [this] {
    const auto devices = engine_->stats().devices;
    return std::all_of(devices.begin(), devices.end(), [](const DeviceStats& device) { return device.jobs_done > 0; });
  };
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2 * count_ + 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10 || (!all_have_run() && std::chrono::steady_clock::now() < end); ++i) {
        const auto output = run(*engine_, job(kLong, in));
        ASSERT_TRUE(output) << output.error().message;
        ASSERT_EQ(words(output->bytes), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(all_have_run());
}

TEST_F(SeveralDevices, BuffersAreOnAll) {
  const Words in{1, 2, 3, 4};
  std::set<size_t> used;
  for (size_t i = 0; i < count_; ++i) {
    const auto buffer = engine_->make_buffer(16);
    ASSERT_TRUE(buffer) << buffer.error().message;
    buffers_.push_back(*buffer);
    Chain chain;
    chain.kernels = {{KernelText{std::string(kAffine)}, "main", {}}};
    chain.steps.resize(2);
    chain.steps[0].input = bytes(in);
    chain.steps[0].output = *buffer;
    chain.steps[1].input = *buffer;
    chain.order = {0, 1};
    const auto output = collect([&](auto client) { return engine_->submit(chain, std::move(client), {}); });
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(words(output->bytes), affine(affine(in)));
    used.insert(output->report.device);
    const auto read = collect([&](auto client) { return engine_->read(*buffer, 0, 16, std::move(client)); });
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(words(read->bytes), affine(in));
  }
  EXPECT_EQ(used.size(), count_);
  Chain mixed;
  mixed.kernels = {{KernelText{std::string(kAffine)}, "main", {}}};
  mixed.steps.resize(1);
  mixed.steps[0].input = buffers_[0];
  mixed.steps[0].output = buffers_[1];
  mixed.order = {0};
  const auto refused = collect([&](auto client) { return engine_->submit(mixed, std::move(client), {}); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error_class, ErrorClass::InvalidArgument);
}

}  // namespace
}  // namespace kem::core
