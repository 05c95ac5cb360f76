// Results that a shader writes to the host's memory at once, on devices with memory of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "count_groups.spv.h"
#include "double_words.spv.h"
#include "vulkan/arguments.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"
#include "vulkan/validation_log.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;

class OnlyWritten : public testing::Test {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, [](Context& context) {
      context.unified = false;
      context.near_memory = true;
    });
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
  }
  void TearDown() override {
    device_.reset();
    expect_empty(*log_);
  }

  std::unique_ptr<Pipeline> pipeline(std::span<const uint32_t> spirv, std::vector<LayoutBinding> bindings) {
    return make_pipeline(*device_, spirv, std::move(bindings));
  }

  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
};

Argument result(Words& words, bool only_written) {
  Argument argument = output(1, words);
  argument.only_written = only_written;
  return argument;
}

TEST(Placement, SmallWrittenBuffersAreTheHosts) {
  Context context;
  context.near_memory = true;
  Argument argument{0, 1, kOut, 64u << 10, {}, {}};
  argument.only_written = true;
  EXPECT_EQ(place_argument(context, argument).home, MemoryUse::Shared);
  argument.only_written = false;
  EXPECT_EQ(place_argument(context, argument).home, MemoryUse::Near);
  argument.only_written = true;
  argument.size += 4;
  EXPECT_EQ(place_argument(context, argument).home, MemoryUse::Device);
}

// One submission, one of whose results is copied behind the kernels and the other is not.
TEST_F(OnlyWritten, BesideOneThatIsCopied) {
  const auto kernel = pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  Words in(3000), written(3000), copied(3000), expected(3000);
  for (uint32_t round = 0; round < 8; ++round) {
    std::iota(in.begin(), in.end(), round);
    for (size_t i = 0; i < in.size(); ++i) expected[i] = 2 * in[i];
    const Argument first[] = {input(0, in), result(written, true)};
    const Argument second[] = {input(0, in), result(copied, false)};
    const Step steps[] = {{kernel.get(), first, {47, 1, 1}}, {kernel.get(), second, {47, 1, 1}}};
    Ending ending;
    const auto running = device_->start(steps, {Clock::now() + 60s}, ending);
    ASSERT_TRUE(running) << running.error().message;
    ASSERT_TRUE(ending.wait());
    EXPECT_EQ(written, expected);
    EXPECT_EQ(copied, expected);
    std::fill(written.begin(), written.end(), 0u);
    std::fill(copied.begin(), copied.end(), 0u);
  }
}

// What is not written keeps the initial bytes, or is zeros, whatever the memory held before.
TEST_F(OnlyWritten, TheRestStays) {
  const auto kernel = pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  const Words in(64, 4u), before(128, 9u);
  Words out(128);
  Argument argument = result(out, true);
  argument.initial = bytes(before);
  const Argument with_initial[] = {input(0, in), argument};
  ASSERT_TRUE(device_->run(*kernel, with_initial, {{1, 1, 1}, Clock::now() + 60s}));
  EXPECT_EQ(Words(out.begin(), out.begin() + 64), Words(64, 8u));
  EXPECT_EQ(Words(out.begin() + 64, out.end()), Words(64, 9u));
  const Argument without[] = {input(0, in), result(out, true)};
  ASSERT_TRUE(device_->run(*kernel, without, {{1, 1, 1}, Clock::now() + 60s}));
  EXPECT_EQ(Words(out.begin() + 64, out.end()), Words(64, 0u));
}

TEST_F(OnlyWritten, AShaderThatReadsItAfterAllIsRight) {
  const auto kernel = pipeline(count_groups_spv, {{0, 0, kOut}});
  Words out(100);
  for (int round = 0; round < 3; ++round) {
    Argument argument{0, 0, kOut, 400, {}, bytes(out)};
    argument.only_written = true;
    ASSERT_TRUE(device_->run(*kernel, {&argument, 1}, {{100, 1, 1}, Clock::now() + 60s}));
    for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(out[i], i + 1);
  }
}

}  // namespace
}  // namespace kem::vulkan
