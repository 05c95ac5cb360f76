// Several steps in one submission, and buffers that outlive calls, on a real driver under the validation layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "double_words.spv.h"
#include "spin.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"
#include "vulkan/queues_testing.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Argument resident(uint32_t binding, BufferKind kind, Buffer& buffer, uint64_t size, uint64_t offset = 0) {
  return {0, binding, kind, size, {}, {}, &buffer, offset};
}

// Devices that the driver is made to look like; see device_test.cc.
struct Kind {
  const char* name;
  AdjustContext adjust;
};
const Kind kKinds[] = {
    {"AsFound", [](Context&) {}},
    {"Staged",
     [](Context& context) {
       context.unified = false;
       context.near_memory = false;
     }},
    {"StagedInPieces",
     [](Context& context) {
       context.unified = false;
       context.near_memory = false;
       context.piece_bytes = 16;
     }},
    {"CopiedApart",
     [](Context& context) {
       QueueStandIns::install(context, 2, 1);
       context.unified = false;
       context.near_memory = false;
       context.piece_bytes = 16;
       context.least_apart = 8;
     }},
    {"StagedButNear",
     [](Context& context) {
       context.unified = false;
       context.near_memory = true;
     }},
};

class StepsTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, GetParam().adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    double_ = pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  }
  void TearDown() override {
    double_.reset();
    device_.reset();
    expect_empty(*log_);
  }

  std::unique_ptr<Pipeline> pipeline(std::span<const uint32_t> spirv, std::vector<LayoutBinding> bindings) {
    return make_pipeline(*device_, spirv, std::move(bindings));
  }
  std::unique_ptr<Buffer> buffer(uint64_t size) {
    auto made = device_->make_buffer(size);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  std::unique_ptr<Buffer> buffer(const Words& words) {
    auto made = buffer(words.size() * 4);
    EXPECT_TRUE(device_->write(*made, 0, bytes(words)));
    return made;
  }
  Words words(const Buffer& buffer) {
    Words out(buffer.size() / 4);
    EXPECT_TRUE(device_->read(buffer, 0, bytes(out)));
    return out;
  }
  Status run(std::span<const Step> steps, Terms terms = {Clock::now() + 60s}) {
    Ending ending;
    KEM_TRY(const bool running, device_->start(steps, terms, ending));
    if (running) KEM_CHECK(ending.wait());
    return {};
  }

  std::unique_ptr<DeviceImpl> device_;
  std::unique_ptr<Pipeline> double_;
  std::shared_ptr<const ValidationLog> log_;
};

TEST_P(StepsTest, ABufferIsZerosAndKeepsWhatIsWritten) {
  const auto odd = buffer(1'000'003);
  std::vector<uint8_t> all(odd->size(), 7);
  ASSERT_TRUE(device_->read(*odd, 0, all));
  EXPECT_THAT(all, Each(0));
  const std::vector<uint8_t> some{1, 2, 3, 4, 5};
  ASSERT_TRUE(device_->write(*odd, 999'998, some));
  ASSERT_TRUE(device_->write(*odd, 3, std::span(some).first(2)));
  std::vector<uint8_t> end(6);
  ASSERT_TRUE(device_->read(*odd, 999'997, end));
  EXPECT_THAT(end, ElementsAre(0, 1, 2, 3, 4, 5));
  std::vector<uint8_t> begin(6);
  ASSERT_TRUE(device_->read(*odd, 0, begin));
  EXPECT_THAT(begin, ElementsAre(0, 0, 0, 1, 2, 0));
}

TEST_P(StepsTest, ALargeBufferGoesInPieces) {
  const auto large = buffer((80u << 20) + 4);
  Words in(large->size() / 4), out(in.size());
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  ASSERT_TRUE(device_->write(*large, 0, bytes(in)));
  ASSERT_TRUE(device_->read(*large, 0, bytes(out)));
  EXPECT_TRUE(in == out);
}

TEST_P(StepsTest, AStepSeesWhatTheStepsBeforeItWrote) {
  const auto a = buffer(Words{1, 2, 3, 5}), b = buffer(16);
  const std::array there{resident(0, kIn, *a, 16), resident(1, kOut, *b, 16)};
  const std::array back{resident(0, kIn, *b, 16), resident(1, kOut, *a, 16)};
  std::vector<Step> steps;
  for (int i = 0; i < 10; ++i) {
    steps.push_back({double_.get(), there});
    steps.push_back({double_.get(), back});
  }
  for (int round = 0; round < 3; ++round) {  // recorded, then used again
    ASSERT_TRUE(device_->write(*a, 0, bytes(Words{1, 2, 3, 5 + uint32_t(round)})));
    const Status status = run(steps);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_THAT(words(*a), ElementsAre(1u << 20, 2u << 20, 3u << 20, (5u + round) << 20));
  }
  Ending ending;
  Terms terms{Clock::now() + 60s};
  terms.prepared_only = true;
  const auto running = device_->start(steps, terms, ending);
  ASSERT_TRUE(running && *running);
  ASSERT_TRUE(ending.wait());
  // Nothing happens for what is not.
  steps.pop_back();
  const auto other = device_->start(steps, terms, ending);
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
}

TEST_P(StepsTest, AChainOfManySteps) {
  // 64-byte rows of one buffer: each step doubles a row into the next one.
  constexpr uint64_t kSteps = 5'000;
  const uint64_t row = std::max<uint64_t>(device_->buffer_alignment(), 16);
  const auto rows = buffer(row * (kSteps + 1));
  ASSERT_TRUE(device_->write(*rows, 0, bytes(Words{1, 3})));
  std::vector<std::array<Argument, 2>> arguments;
  for (uint64_t i = 0; i < kSteps; ++i)
    arguments.push_back(
        {resident(0, kIn, *rows, 16, row * (i % 24)), resident(1, kOut, *rows, 16, row * (i % 24 + 1))});
  std::vector<Step> steps;
  for (const auto& each : arguments) steps.push_back({double_.get(), each});
  const Status status = run(steps);
  ASSERT_TRUE(status) << status.error().message;
  Words last(2);
  ASSERT_TRUE(device_->read(*rows, row * 24, bytes(last)));
  EXPECT_THAT(last, ElementsAre(1u << 24, 3u << 24));
}

TEST_P(StepsTest, IndependentStepsHaveMemoryOfTheirOwn) {
  constexpr uint32_t kSteps = 100;
  std::vector<Words> in, out(kSteps, Words(4));
  std::vector<std::vector<Argument>> arguments;
  std::vector<Step> steps;
  for (uint32_t i = 0; i < kSteps; ++i) in.push_back({i, i + 1, 2 * i, 7});
  for (uint32_t i = 0; i < kSteps; ++i) {
    arguments.push_back({{0, 0, kIn, 16, bytes(in[i]), {}}, {0, 1, kOut, 16, {}, bytes(out[i])}});
    Step step{double_.get(), arguments.back()};
    step.independent = true;
    steps.push_back(step);
  }
  // The argument lists may have moved while they grew.
  for (uint32_t i = 0; i < kSteps; ++i) steps[i].arguments = arguments[i];
  for (int round = 0; round < 2; ++round) {
    for (Words& words : out) std::fill(words.begin(), words.end(), 1);
    const Status status = run(steps);
    ASSERT_TRUE(status) << status.error().message;
    for (uint32_t i = 0; i < kSteps; ++i) EXPECT_THAT(out[i], ElementsAre(2 * i, 2 * i + 2, 4 * i, 14));
  }
}

TEST_P(StepsTest, BytesMayEnterAndLeaveWithTheSteps) {
  const auto kept = buffer(Words{9, 9, 9, 9}), between = buffer(16);
  const Words in{1, 3};
  Words seen(4), out(4);
  Argument first = resident(0, kIn, *kept, 16);
  first.initial = bytes(in);
  Argument middle = resident(1, kOut, *between, 16);
  middle.result = bytes(seen);
  const std::array one{first, middle};
  const std::array two{resident(0, kIn, *between, 16), Argument{0, 1, kOut, 16, {}, bytes(out)}};
  const std::array steps{Step{double_.get(), one}, Step{double_.get(), two}};
  const Status status = run(steps);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_THAT(words(*kept), ElementsAre(1, 3, 9, 9));
  EXPECT_THAT(seen, ElementsAre(2, 6, 18, 18));
  EXPECT_THAT(out, ElementsAre(4, 12, 36, 36));
}

TEST_P(StepsTest, LongChainsEndBetweenSlices) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  auto memory = buffer(16);
  const std::array arguments{resident(0, kOut, *memory, 16)};
  const std::vector<Step> steps(1000, Step{spin.get(), arguments, {1000, 1, 1}});
  const Status late = run(steps, {Clock::now() + 100ms});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().error_class, ErrorClass::Timeout);
  memory.reset();  // the device may still be at it
  std::atomic<bool> cancelled{false};
  std::jthread canceller([&] {
    std::this_thread::sleep_for(50ms);
    cancelled = true;
  });
  const auto other = buffer(16);
  const std::array again{resident(0, kOut, *other, 16)};
  const std::vector<Step> more(1000, Step{spin.get(), again, {1000, 1, 1}});
  const Status ended = run(more, {Clock::now() + 600s, &cancelled});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().error_class, ErrorClass::Cancelled);
}

TEST_P(StepsTest, StepsOfNoWorkgroupsAreLeftOut) {
  const auto a = buffer(Words{1, 2, 3, 5}), b = buffer(Words{7, 7, 7, 7});
  const std::array arguments{resident(0, kIn, *a, 16), resident(1, kOut, *b, 16)};
  Words out(4, 1);
  const std::array own{resident(0, kIn, *b, 16), Argument{0, 1, kOut, 16, {}, bytes(out)}};
  const std::array steps{Step{double_.get(), arguments, {0, 1, 1}}, Step{double_.get(), own}};
  ASSERT_TRUE(run(steps));
  EXPECT_THAT(out, Each(14));
  ASSERT_TRUE(run(std::span(steps).first(1)));
  EXPECT_THAT(words(*b), Each(7));
  ASSERT_TRUE(run({}));
}

TEST_P(StepsTest, RefusesWhatIsNotThere) {
  const auto error = [](const Status& status) { return status ? Error{} : status.error(); };
  EXPECT_EQ(device_->make_buffer(0).error().error_class, ErrorClass::InvalidArgument);
  EXPECT_EQ(device_->make_buffer(device_->limits().max_storage_range + 1).error().error_class,
            ErrorClass::OutputTooLarge);
  const auto small = buffer(20);
  std::vector<uint8_t> some(8);
  EXPECT_EQ(error(device_->read(*small, 13, some)).error_class, ErrorClass::InvalidArgument);
  EXPECT_EQ(error(device_->write(*small, ~uint64_t{0}, some)).error_class, ErrorClass::InvalidArgument);

  const auto refused = [&](Argument argument) {
    Words in(4);
    const std::array arguments{Argument{0, 0, kIn, 16, bytes(in), {}}, argument};
    const std::array steps{Step{double_.get(), arguments}};
    return error(run(steps)).message;
  };
  EXPECT_THAT(refused(resident(1, kOut, *small, 16, 8)), HasSubstr("no multiple of"));
  EXPECT_THAT(refused(resident(1, kOut, *small, 24)), HasSubstr("ends behind its buffer of 20 bytes"));
  DeviceOptions options;
  auto other = DeviceImpl::open(options);
  ASSERT_TRUE(other);
  {
    const auto foreign = (*other)->make_buffer(16);
    ASSERT_TRUE(foreign);
    EXPECT_THAT(refused(resident(1, kOut, **foreign, 16)), HasSubstr("another device"));
    EXPECT_EQ(error(device_->read(**foreign, 0, some)).error_class, ErrorClass::InvalidArgument);
  }
}

TEST_P(StepsTest, TellsItsMemory) {
  constexpr uint64_t kMiB = 1u << 20;
  const uint64_t before = device_->memory().allocated;
  auto made = device_->make_buffer(kMiB);
  ASSERT_TRUE(made);
  const uint64_t with = device_->memory().allocated;
  EXPECT_GE(with, before + kMiB);
  made->reset();
  EXPECT_LE(device_->memory().allocated, with - kMiB);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StepsTest, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace kem::vulkan
