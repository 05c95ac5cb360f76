// The engine over the real folders: WGSL from the project's kernel store to bytes, on this machine's device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <thread>

#include "base/page_pool.h"
#include "core/core.h"
#include "core/image.h"

namespace kem::core {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kDouble = "btSvNclyu2me_zGh4X9ULVRZqwze9l2DpkcVHcLw9Eg";
const std::string kGlitch = "GBPZsoX_NugmvImUVUn0loXeJbAb-U6QVgOWRWuYVIE";

class EndToEnd : public ::testing::Test {
 protected:
  EndToEnd() {
    std::string name = (fs::temp_directory_path() / "kem-engine-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) directory = name;
    config.arweave.kernel_store = KEM_SOURCE_DIR "/kernels";
    config.arweave.cache = directory / "cache";
    config.device.validation = true;
  }
  ~EndToEnd() override {
    if (engine_) {
      EXPECT_EQ(engine_->stats().validation_messages, 0u);
    }
    engine_.reset();
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  void SetUp() override {
    const auto adapter = engine().adapter();
    if (!adapter) GTEST_SKIP() << "no device to run on: " << adapter.error().message;
  }

  Engine& engine() {
    if (!engine_) engine_ = Engine::create(config);
    return *engine_;
  }
  void restart() { engine_.reset(); }

  Job text(std::string wgsl) const {
    Job job;
    job.kernel = KernelText{std::move(wgsl)};
    job.input = input;
    return job;
  }
  Job by_id(const std::string& id) const {
    Job job;
    job.kernel = KernelId{id};
    job.input = input;
    return job;
  }
  Error refused(const Job& job) {
    const auto result = run(engine(), job);
    if (!result) return result.error();
    ADD_FAILURE() << "accepted";
    return {};
  }

  Config config;
  fs::path directory;
  std::vector<uint8_t> input{1, 0, 0, 0, 3, 0, 0, 0};
  std::unique_ptr<Engine> engine_;
};

std::string call_kernel(const std::string& body, const std::string& attributes = "@workgroup_size(64)") {
  return R"(@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@compute )" +
         attributes + R"(
fn main(@builtin(global_invocation_id) at: vec3u) {
  if at.x >= arrayLength(&result) { return; }
)" + body +
         "\n}\n";
}

TEST_F(EndToEnd, TheSeedsExample) {
  for (const auto& [bytes, doubled] :
       {std::pair<std::vector<uint8_t>, std::vector<uint8_t>>{{1, 3, 5, 7}, {2, 6, 10, 14}},
        {{1, 0, 0, 0, 3, 0, 0, 0}, {2, 0, 0, 0, 6, 0, 0, 0}},
        {{1}, {2}},
        {{1, 2, 3, 4, 5}, {2, 4, 6, 8, 10}}}) {
    input = bytes;
    const auto output = run(engine(), by_id(kDouble));
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->bytes, doubled);
    EXPECT_EQ(output->report.kernel_origin, "store");
  }
}

TEST_F(EndToEnd, TheDiskCacheNeedsNoFrontEnd) {
  const auto cold = run(engine(), by_id(kDouble));
  ASSERT_TRUE(cold) << cold.error().message;
  EXPECT_GT(cold->report.times.front_end.count(), 0);
  EXPECT_GT(cold->report.times.spirv.count(), 0);
  restart();
  const auto warm = run(engine(), by_id(kDouble));
  ASSERT_TRUE(warm) << warm.error().message;
  EXPECT_EQ(warm->report.times.front_end.count(), 0);
  EXPECT_EQ(warm->report.times.spirv.count(), 0);
  EXPECT_EQ(warm->bytes, cold->bytes);
  restart();
  for (const auto& entry : fs::directory_iterator(directory / "cache" / "shaders" / "sha256")) {
    std::ofstream(entry.path()) << "garbage";
  }
  const auto repaired = run(engine(), by_id(kDouble));
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_GT(repaired->report.times.spirv.count(), 0);
  EXPECT_EQ(repaired->bytes, cold->bytes);
  restart();
  const auto replaced = run(engine(), by_id(kDouble));
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->report.times.spirv.count(), 0);
}

TEST_F(EndToEnd, OutputBeginsAsZerosAndHasItsSize) {
  Job job = text(call_kernel("if at.x == 1u { result[at.x] = 0xffffffffu; }"));
  input.resize(7, 1);
  job.input = input;
  job.output = OutputHint{2};
  const auto output = run(engine(), job);
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_THAT(output->bytes, ElementsAre(0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0));
  job.output = OutputBytes{3};
  EXPECT_THAT(run(engine(), job)->bytes, ElementsAre(0, 0, 0));
}

TEST_F(EndToEnd, APngComesBackAsAPng) {
  std::vector<uint8_t> pixels(40 * 30 * 4);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 4 == 3 ? 255 : static_cast<uint8_t>(i * 7);
  input = *encode_png(40, 30, pixels);
  const std::vector<uint8_t> params{40, 0, 0, 0, 30, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
  Job job = by_id(kGlitch);
  job.params = params;
  job.dispatch = DispatchGrid{};
  job.image = true;
  const auto encoded = run(engine(), job);
  ASSERT_TRUE(encoded) << encoded.error().message;
  const auto image = decode_image(encoded->bytes, 1u << 20);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->width, 40u);
  EXPECT_EQ(image->height, 30u);
  EXPECT_NE(image->rgba, pixels);
  job.input = pixels;
  const auto raw = run(engine(), job);
  ASSERT_TRUE(raw) << raw.error().message;
  EXPECT_EQ(raw->bytes, image->rgba);
}

TEST_F(EndToEnd, Refusals) {
  const Error syntax = refused(text("@compute @workgroup_size(1)\nfn main( {}\n"));
  EXPECT_EQ(name(syntax.error_class), "invalid_kernel");
  EXPECT_THAT(syntax.message, AllOf(HasSubstr("kernel:2:"), HasSubstr("^")));
  EXPECT_EQ(name(refused(text("fn helper() {}")).error_class), "invalid_argument");
  EXPECT_EQ(name(refused(text("@compute @workgroup_size(1) fn main() {}\n@compute @workgroup_size(1) fn main() {}"))
                     .error_class),
            "invalid_kernel");
  EXPECT_EQ(name(refused(text("@compute @workgroup_size(1) fn main() {}")).error_class), "invalid_binding");
  const Error size = refused(text(call_kernel("result[at.x] = source[0];", "@workgroup_size(100000)")));
  EXPECT_EQ(name(size.error_class), "invalid_kernel");
  EXPECT_EQ(name(refused(text(R"(@group(0) @binding(1) var<storage, read_write> a: array<u32>;
@group(0) @binding(7) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = b[0]; })"))
                     .error_class),
            "invalid_binding");
  Job short_params = by_id(kGlitch);
  const std::vector<uint8_t> params{1, 0, 0, 0, 1, 0, 0, 0};
  short_params.params = params;
  EXPECT_EQ(name(refused(short_params).error_class), "invalid_params");
  EXPECT_EQ(name(refused(by_id(std::string(43, 'A'))).error_class), "kernel_not_found");
  ASSERT_TRUE(run(engine(), by_id(kDouble))) << "the next call is served";
}

TEST_F(EndToEnd, AnyBindingsInAnyGroup) {
  std::vector<uint8_t> a{5, 0, 0, 0}, b(8), scale{3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  BindingJob job;
  job.wgsl = R"(@group(1) @binding(4) var<storage, read> a: array<u32>;
@group(0) @binding(9) var<storage, read_write> b: array<u32>;
@group(2) @binding(0) var<uniform> scale: vec4u;
override extra: u32 = 1u;
@compute @workgroup_size(1) fn other(@builtin(workgroup_id) at: vec3u) { b[at.x] = a[0] * scale.x + extra; })";
  job.entry_point = "other";
  job.constants = {{"extra", 7}};
  job.workgroups = {2, 1, 1};
  job.bindings = {{1, 4, a}, {0, 9, b}, {2, 0, scale}};
  const auto report = engine().execute(job);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(b, ElementsAre(22, 0, 0, 0, 22, 0, 0, 0));
}

// The same kernel called with one after another, and past the size of one dispatch.
TEST_F(EndToEnd, ImmediatesAreThoseOfTheCall) {
  const std::string declaration = "struct I { n: u32, v: vec3u, m: mat2x2f } var<immediate> i: I;\n";
  Job job = text(declaration + call_kernel("result[at.x] = i.n + i.v.y * 10u + u32(i.m[1].x) * 100u + at.x;"));
  job.output = OutputBytes{8};
  const auto bytes = [](std::initializer_list<uint32_t> words) {
    std::vector<uint8_t> all;
    for (const uint32_t word : words) {
      for (int shift = 0; shift < 32; shift += 8) all.push_back(static_cast<uint8_t>(word >> shift));
    }
    return all;
  };
  const auto result = [&](const std::vector<uint8_t>& immediates) {
    job.immediates = immediates;
    const auto output = run(engine(), job);
    if (output) return output->bytes;
    ADD_FAILURE() << output.error().message;
    return std::vector<uint8_t>();
  };
  EXPECT_EQ(result({}), bytes({0, 1}));
  EXPECT_EQ(result(bytes({3})), bytes({3, 4}));
  EXPECT_EQ(result(bytes({3, 0, 0, 0, 9, 2, 9, 0, 0, 0, 0x40400000, 0})), bytes({323, 324}));
  EXPECT_EQ(result({7}), bytes({7, 8}));
  EXPECT_EQ(result({}), bytes({0, 1}));
  const std::vector<uint8_t> too_many(52);
  job.immediates = too_many;
  EXPECT_EQ(name(refused(job).error_class), "invalid_argument");
  Job without = text(call_kernel("result[at.x] = 1u;"));
  const std::vector<uint8_t> one(1);
  without.immediates = one;
  EXPECT_EQ(name(refused(without).error_class), "invalid_argument");
}

// Each invocation writes its half of a word, through a view of a buffer.
TEST_F(EndToEnd, HalvesOfAWordAreWrittenApart) {
  Job job = text(R"(enable f16;
@group(0) @binding(1) var<storage, read_write> result: buffer;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
  bufferView<array<f16>>(&result, 0)[i] = f16(i);
  workgroupBarrier();
  let read = bufferView<array<f16>>(&result, 0)[63 - i];
  storageBarrier();
  if i >= 32u { bufferView<array<f16>>(&result, 0)[i] = read; }
})");
  job.output = OutputBytes{128};
  if (!engine().wgsl_options().features.f16) {
    EXPECT_THAT(refused(job).message, HasSubstr("'f16' is not available"));
    return;
  }
  const auto output = run(engine(), job);
  ASSERT_TRUE(output) << output.error().message;
  const auto half = [](uint32_t n) {
    uint32_t exponent = 0;
    while (n >> (exponent + 1) != 0) ++exponent;
    return n == 0 ? 0 : ((exponent + 15) << 10) | ((n << (10 - exponent)) & 0x3FF);
  };
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t bits = output->bytes[2 * i] | static_cast<uint32_t>(output->bytes[2 * i + 1]) << 8;
    EXPECT_EQ(bits, half(i < 32 ? i : 63 - i)) << i;
  }
}

// Where the device can choose; else the kernel is refused by the extension's name.
TEST_F(EndToEnd, SubgroupSizesAreThoseThatAreAskedFor) {
  const wgsl::DeviceFeatures features = engine().wgsl_options().features;
  const auto kernel = [](uint32_t size) {
    return "enable subgroup_size_control;\n" +
           std::string(
               "@group(0) @binding(1) var<storage, read_write> result: array<u32>;\n"
               "@compute @workgroup_size(64) @subgroup_size(") +
           std::to_string(size) + ") fn main(@builtin(subgroup_size) s: u32) { result[0] = s; }";
  };
  if (!features.subgroup_size_control) {
    EXPECT_THAT(refused(text(kernel(32))).message, HasSubstr("'subgroup_size_control' is not available"));
    return;
  }
  for (uint32_t size = features.min_subgroup_size; size <= std::min(features.max_subgroup_size, 64u); size *= 2) {
    const auto output = run(engine(), text(kernel(size)));
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->bytes[0], size);
  }
  EXPECT_EQ(name(refused(text(kernel(features.max_subgroup_size * 2))).error_class), "invalid_kernel");
}

TEST_F(EndToEnd, AnEndlessLoopRunsIntoItsBudget) {
  restart();
  config.loop_budget = 1000;
  const Job endless = text(call_kernel("loop { if source[0] == 77u { break; } }"));
  EXPECT_EQ(name(refused(endless).error_class), "loop_budget_exhausted");
  const auto enough = run(engine(), text(call_kernel("for (var i = 0; i < 900; i++) { result[at.x] += 1u; }")));
  ASSERT_TRUE(enough) << enough.error().message;
  EXPECT_EQ(enough->bytes[0] + enough->bytes[1] * 256, 900);
}

// Wrong bytes with no error are the worst result there is: a device that ends long loops early must not be believed.
TEST_F(EndToEnd, ALongLoopIsRightOrRefused) {
  const auto output = run(engine(), text(call_kernel("for (var i = 0u; i < 100000u; i++) { result[at.x] += 1u; }")));
  if (!output) {
    EXPECT_EQ(name(output.error().error_class), "loop_budget_exhausted");
    return;
  }
  EXPECT_EQ(output->bytes[0] + (output->bytes[1] << 8) + (output->bytes[2] << 16), 100000);
}

struct Outputs {
  std::deque<std::vector<uint8_t>> bytes;
  std::promise<Result<Report>> promise;

  static uint32_t word(std::span<const uint8_t> bytes, size_t index) {
    uint32_t value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
    return value;
  }
};

class OutputsClient final : public Client {
 public:
  explicit OutputsClient(Outputs& outputs) : outputs_(outputs) {}
  std::span<uint8_t> allocate_output(size_t bytes) override { return outputs_.bytes.emplace_back(bytes); }
  void done(Result<Report> result) noexcept override { outputs_.promise.set_value(std::move(result)); }

 private:
  Outputs& outputs_;
};

// Submits, and waits for the end.
template <class Submit>
void finish(Outputs& outputs, Submit submit) {
  const Result<JobId> submitted = submit(std::make_unique<OutputsClient>(outputs));
  ASSERT_TRUE(submitted) << submitted.error().message;
  const auto result = outputs.promise.get_future().get();
  ASSERT_TRUE(result) << result.error().message;
}

Chain::Step step(size_t kernel, BufferReference from, std::variant<OutputHint, OutputBytes, BufferReference> to) {
  Chain::Step made;
  made.kernel = kernel;
  made.input = std::move(from);
  made.output = std::move(to);
  return made;
}

// 500 times: one more, and on the way back thrice as much less its index, whose loop is counted where loops are.
TEST_F(EndToEnd, AChainOverResidentBuffers) {
  constexpr size_t kWords = 1000;
  const auto a = engine().make_buffer(kWords * 4);
  const auto b = engine().make_buffer(kWords * 4);
  ASSERT_TRUE(a && b);
  const std::vector<uint8_t> ones(4, 1);
  Outputs written;
  finish(written, [&](auto client) { return engine().write(*a, 12, ones, std::move(client)); });

  Chain chain;
  chain.kernels.push_back({KernelText{call_kernel("result[at.x] = source[at.x] + 1u;")}, "main", {}});
  chain.kernels.push_back(
      {KernelText{call_kernel("var sum = 0u; for (var i = 0u; i < 3u + (source[at.x] & 0u); i++) { sum += "
                              "source[at.x]; } result[at.x] = sum - at.x;")},
       "main",
       {}});
  chain.steps = {step(0, *a, *b), step(1, *b, *a), step(0, *a, OutputHint{1})};
  for (int i = 0; i < 500; ++i) chain.order.insert(chain.order.end(), {0, 1});
  chain.order.push_back(2);
  Outputs chained;
  finish(chained, [&](auto client) { return engine().submit(chain, std::move(client), {}); });
  ASSERT_EQ(chained.bytes.size(), 1u);
  Outputs read;
  finish(read, [&](auto client) { return engine().read(*a, 4, kWords * 4 - 4, std::move(client)); });
  for (uint32_t i = 0; i < kWords; ++i) {
    uint32_t value = i == 3 ? 0x01010101u : 0u;
    for (int round = 0; round < 500; ++round) value = (value + 1) * 3 - i;
    ASSERT_EQ(Outputs::word(chained.bytes[0], i), value + 1) << i;
    if (i == 0) continue;
    ASSERT_EQ(Outputs::word(read.bytes[0], i - 1), value) << i;
  }
}

TEST_F(EndToEnd, IndependentStepsInOneSubmission) {
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 1; i <= 50; ++i) inputs.emplace_back(i, static_cast<uint8_t>(i));
  Chain chain;
  chain.kernels.push_back({KernelId{kDouble}, "main", {}});
  chain.independent = true;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    chain.steps.emplace_back().input = std::span<const uint8_t>(inputs[i]);
    chain.order.push_back(i);
  }
  Outputs outputs;
  finish(outputs, [&](auto client) { return engine().submit(chain, std::move(client), {}); });
  ASSERT_EQ(outputs.bytes.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(outputs.bytes[i], std::vector<uint8_t>(i + 1, static_cast<uint8_t>(2 * i + 2)));
  }
}

// Memory that outlives its client, and knows whether it was asked for.
struct Lent {
  std::vector<std::shared_ptr<Pages>> pages;
};

class LendingClient final : public Client {
 public:
  LendingClient(Outputs& outputs, std::weak_ptr<Lent>& lent) : outputs_(outputs), told_(lent) {}
  std::span<uint8_t> allocate_output(size_t bytes) override { return outputs_.bytes.emplace_back(bytes); }
  std::shared_ptr<const void> lender() override {
    EXPECT_EQ(lent_, nullptr);
    told_ = lent_ = std::make_shared<Lent>();
    return lent_;
  }
  const Pages* lend_output(size_t bytes, PageContent content) override {
    sizes_.push_back(bytes);
    const auto pages = lent_->pages.emplace_back(Pages::map(bytes));
    if (content == PageContent::Any) std::memset(pages->data(), 0xa5, pages->size());
    return pages.get();
  }
  void done(Result<Report> result) noexcept override {
    for (size_t i = 0; result && i < sizes_.size(); ++i) {
      const uint8_t* const data = lent_->pages[i]->data();
      outputs_.bytes.emplace_back(data, data + sizes_[i]);
    }
    outputs_.promise.set_value(std::move(result));
  }

 private:
  Outputs& outputs_;
  std::weak_ptr<Lent>& told_;
  std::shared_ptr<Lent> lent_;
  std::vector<size_t> sizes_;
};

// Where the device has no use for it, nothing is lent; the bytes are the same. What a kernel leaves out is zeros.
TEST_F(EndToEnd, LargeMemoryIsLent) {
  constexpr size_t kWords = 300'001;
  std::vector<uint8_t> large(kWords * 4);
  for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<uint8_t>(i * 7 / 4);
  for (const bool chain : {false, true}) {
    Outputs outputs;
    std::weak_ptr<Lent> lent;
    const KernelText kernel{call_kernel("if (at.x % 3u != 0u) { result[at.x] = source[at.x] + 1u; }")};
    const auto submitted = [&]() -> Result<JobId> {
      auto client = std::make_unique<LendingClient>(outputs, lent);
      if (!chain) {
        Job job;
        job.kernel = kernel;
        job.input = large;
        return engine().submit(std::move(job), std::move(client));
      }
      Chain two;
      two.kernels.push_back({kernel, "main", {}});
      two.steps.resize(2);
      two.steps[0].input = two.steps[1].input = std::span<const uint8_t>(large);
      two.order = {0, 1};
      return engine().submit(std::move(two), std::move(client), {});
    }();
    ASSERT_TRUE(submitted) << submitted.error().message;
    const auto result = outputs.promise.get_future().get();
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(outputs.bytes.size(), chain ? 2u : 1u);
    for (const auto& bytes : outputs.bytes) {
      for (size_t i = 0; i < kWords; ++i) {
        ASSERT_EQ(Outputs::word(bytes, i), i % 3 == 0 ? 0 : Outputs::word(large, i) + 1) << i;
      }
    }
    while (!lent.expired()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(NoDevice, IsAnErrorOfTheCall) {
  Config config;
  config.arweave.kernel_store = KEM_SOURCE_DIR "/kernels";
  config.device.selector = "no such device";
  const auto engine = Engine::create(config);
  const auto adapter = engine->adapter();
  ASSERT_FALSE(adapter);
  EXPECT_EQ(name(adapter.error().error_class), "no_device");
  const std::vector<uint8_t> input(4);
  Job job;
  job.kernel = KernelId{kDouble};
  job.input = input;
  const auto output = run(*engine, job);
  ASSERT_FALSE(output);
  EXPECT_EQ(name(output.error().error_class), "no_device");
}

}  // namespace
}  // namespace kem::core
