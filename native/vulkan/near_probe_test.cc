#include "vulkan/near_probe.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>

#include "base/page_pool.h"
#include "double_words.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kKiB = 1u << 10, kMiB = 1u << 20;
constexpr uint64_t kLarge = 140ull << 30;  // a heap of all the device's memory

// One that writes its own memory as quickly as the host's, as was measured on an H200 (docs/performance.md).
TEST(NearLimits, OfADeviceThatIsQuicklyWritten) {
  const NearLimits limits = near_limits({0.033, 0.075, 0.04, 5000}, kLarge);
  EXPECT_EQ(limits.given_bytes, 8 * kMiB) << "writing there is cheaper at any size";
  EXPECT_EQ(limits.zeroed_bytes, 144 * kKiB) << "what costs as much to write as the command";
  EXPECT_TRUE(limits.measured);
}

TEST(NearLimits, WhereStagingOvertakes) {
  // 1 ns a byte more than staging and copy, which cost 200 us by themselves.
  const NearLimits limits = near_limits({1.5, 0.25, 0.25, 200 * kKiB}, kLarge);
  EXPECT_EQ(limits.given_bytes, 200 * kKiB);
  EXPECT_EQ(limits.zeroed_bytes, 132 * kKiB);
}

// A link over which the device writes one byte a nanosecond more slowly than it copies.
TEST(NearLimits, OfResultsThatAreOnlyWritten) {
  EXPECT_EQ(near_limits({0.033, 0.075, 0.04, 5000, 0.04, 0.04}, kLarge).written_bytes, 64 * kKiB);
  EXPECT_EQ(near_limits({0.033, 0.075, 0.04, 20 * kKiB, 1.5, 0.5}, kLarge).written_bytes, 20 * kKiB);
  EXPECT_EQ(near_limits({0.033, 0.075, 0.04, 5000, 100, 0}, kLarge).written_bytes, 4 * kKiB);
}

TEST(NearLimits, AWrongMeasurementDoesNoHarm) {
  EXPECT_EQ(near_limits({1000, 0, 0, 0}, kLarge), (NearLimits{64 * kKiB, 64 * kKiB, true}));
  EXPECT_EQ(near_limits({0, 0, 0, 0}, kLarge), (NearLimits{8 * kMiB, kMiB, true}));
  EXPECT_EQ(near_limits({1e-9, 0, 0, 1e18}, kLarge), (NearLimits{8 * kMiB, kMiB, true}));
}

// 256 MiB without ReBAR.
TEST(NearLimits, OfASmallHeap) {
  EXPECT_EQ(near_limits({0.01, 1, 1, 1e9}, 256 * kMiB), (NearLimits{kMiB, kMiB, true}));
  EXPECT_EQ(near_limits({0.01, 1, 1, 1e9}, 64 * kMiB), (NearLimits{256 * kKiB, 256 * kKiB, true}));
  EXPECT_EQ(near_limits({0.01, 1, 1, 1e9}, kMiB), (NearLimits{64 * kKiB, 64 * kKiB, true}));
}

PFN_vkAllocateMemory real_allocate = nullptr;
std::atomic<int> allocations{0}, failures_left{0};

VKAPI_ATTR VkResult VKAPI_CALL count_allocations(VkDevice device, const VkMemoryAllocateInfo* info,
                                                 const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  ++allocations;
  if (failures_left > 0 && failures_left-- > 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return real_allocate(device, info, callbacks, memory);
}

void make_discrete(Context& context) {
  real_allocate = context.vk.vkAllocateMemory;
  context.vk.vkAllocateMemory = count_allocations;
  context.unified = false;
  context.near_memory = true;
}

class NearMemory : public testing::Test {
 protected:
  void open(AdjustContext adjust) {
    if (device_ != nullptr) close();
    allocations = failures_left = 0;
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    double_ = make_pipeline(*device_, double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
    ASSERT_NE(double_, nullptr);
  }
  void TearDown() override {
    if (device_ != nullptr) close();
  }
  void close() {
    double_.reset();
    device_.reset();
    expect_empty(*log_);
  }

  // Of which the first `given` are told, and the others zeros.
  void double_words(size_t count, size_t given) {
    Words in(count, 21), out(count, 7);
    const std::vector<Argument> arguments{{0, 0, kIn, count * 4, vulkan::bytes(std::as_const(in)).first(given * 4), {}},
                                          {0, 1, kOut, count * 4, {}, vulkan::bytes(out)}};
    const auto times = device_->run(*double_, arguments, Dispatch{{count / 64 + 1, 1, 1}, Clock::now() + 60s, nullptr});
    ASSERT_TRUE(times) << times.error().message;
    Words expected(given, 42);
    expected.resize(count);
    EXPECT_EQ(out, expected);
  }

  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
  std::unique_ptr<Pipeline> double_;
};

TEST_F(NearMemory, IsMeasuredWhenTheDeviceIsOpened) {
  open(make_discrete);
  const NearLimits limits = device_->near_limits();
  EXPECT_TRUE(limits.measured);
  EXPECT_GE(limits.given_bytes, 64 * kKiB);
  EXPECT_LE(limits.given_bytes, 8 * kMiB);
  EXPECT_GE(limits.zeroed_bytes, 64 * kKiB);
  EXPECT_LE(limits.zeroed_bytes, kMiB);
  EXPECT_GE(limits.written_bytes, 4 * kKiB);
  EXPECT_LE(limits.written_bytes, 64 * kKiB);
  const auto begin = Clock::now();
  const auto costs = device_->measure_near();
  ASSERT_TRUE(costs) << costs.error().message;
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  std::printf(
      "near memory: up to %u KiB that are given, %u of zeros, %u of results; ns a KiB: %.0f there, %.0f staging, %.0f "
      "copy, %.0f device to host, %.0f copy out; %.0f ns a command; measured again in %u us\n",
      static_cast<unsigned>(limits.given_bytes / kKiB), static_cast<unsigned>(limits.zeroed_bytes / kKiB),
      static_cast<unsigned>(limits.written_bytes / kKiB), costs->near_write * 1024, costs->staging_write * 1024,
      costs->copy * 1024, costs->host_write * 1024, costs->copy_out * 1024, costs->command,
      static_cast<unsigned>(time.count()));
  for (const uint64_t limit : {limits.given_bytes, limits.zeroed_bytes})
    for (const size_t count : {limit / 4 - 1, limit / 4, limit / 4 + 1}) double_words(count, count);
}

TEST_F(NearMemory, IsNotMeasuredWhereItIsOfNoUse) {
  open([](Context& context) { context.unified = true; });
  EXPECT_EQ(device_->near_limits(), NearLimits());
  open([](Context& context) {
    make_discrete(context);
    context.near_memory = false;
  });
  EXPECT_EQ(device_->near_limits(), NearLimits());
}

TEST_F(NearMemory, WhatCannotBeMeasuredStaysAsItIs) {
  open([](Context& context) {
    make_discrete(context);
    failures_left = 1;
  });
  EXPECT_EQ(device_->near_limits(), NearLimits());
  double_words(1000, 1000);
}

// Every size on both sides of both limits.
TEST_F(NearMemory, LimitsForGivenBytesAndForZeros) {
  open([](Context& context) {
    make_discrete(context);
    context.near = {1u << 20, 128u << 10, true};
  });
  EXPECT_EQ(device_->near_limits().given_bytes, kMiB);
  for (const size_t bytes : {4 * kKiB, 128 * kKiB, 128 * kKiB + 4, kMiB, kMiB + 4})
    for (const size_t given : {bytes / 4, bytes / 8, size_t{1}}) double_words(bytes / 4, given);
}

// The host's part of the memory may be used up: staged then, and prepared for that.
TEST_F(NearMemory, IsDoneWithoutWhenThereIsNone) {
  open([](Context& context) {
    make_discrete(context);
    context.near = {1u << 20, 64u << 10, true};
  });
  failures_left = 1;  // the input is the first to ask for memory
  constexpr size_t kWords = 200'000;
  double_words(kWords, kWords);
  EXPECT_EQ(failures_left, 0);
  const int before = allocations;
  for (int round = 0; round < 3; ++round) double_words(kWords, kWords);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace kem::vulkan
