// The device as callers open it: on lavapipe two of them behind one.
#include "vulkan/twin_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "double_words.spv.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

TEST(TwinDeviceTest, RunsSmallAndLargeJobsOfOnePipeline) {
  DeviceOptions options;
  options.validation = true;
  const auto opened = Device::open(options);
  ASSERT_TRUE(opened) << opened.error().message;
  Device& device = **opened;
  const bool lavapipe = device.info().driver == "llvmpipe" && std::getenv("LP_NUM_THREADS") == nullptr;
  EXPECT_EQ(dynamic_cast<TwinDevice*>(&device) != nullptr, lavapipe);
  EXPECT_EQ(std::getenv("LP_NUM_THREADS") != nullptr, device.info().driver == "llvmpipe" && !lavapipe);

  const std::array bindings{LayoutBinding{0, 0, BufferKind::StorageRead},
                            LayoutBinding{0, 1, BufferKind::StorageReadWrite}};
  auto pipeline = device.make_pipeline({double_words_spv, bindings, 32, {}});
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  for (const size_t words : {4, 100'000, 4, 300, 100'000, 4}) {
    std::vector<uint32_t> in(words), out(words), expected(words);
    std::iota(in.begin(), in.end(), 1u);
    std::transform(in.begin(), in.end(), expected.begin(), [](uint32_t word) { return 2 * word; });
    const auto* const from = reinterpret_cast<const uint8_t*>(in.data());
    auto* const to = reinterpret_cast<uint8_t*>(out.data());
    const std::array arguments{Argument{0, 0, BufferKind::StorageRead, words * 4, {from, words * 4}, {}},
                               Argument{0, 1, BufferKind::StorageReadWrite, words * 4, {}, {to, words * 4}}};
    const auto times = device.run(**pipeline, arguments,
                                  {{(words + 63) / 64, 1, 1}, Clock::now() + std::chrono::seconds(60), nullptr});
    ASSERT_TRUE(times) << times.error().message;
    EXPECT_EQ(out, expected);
  }
  EXPECT_GT(device.cost(**pipeline).count(), 0);
  {
    const uint64_t allocated = device.memory().allocated;
    const auto buffer = device.make_buffer(16);
    ASSERT_TRUE(buffer);
    EXPECT_GT(device.memory().allocated, allocated);
    const std::array<uint8_t, 4> word{5, 1, 0, 0};
    std::array<uint8_t, 16> out{};
    const std::array into{Argument{0, 0, BufferKind::StorageRead, 4, word, {}},
                          Argument{0, 1, BufferKind::StorageReadWrite, 16, {}, {}, buffer->get(), 0}};
    const Dispatch one{{1, 1, 1}, Clock::now() + std::chrono::seconds(60), nullptr};
    ASSERT_TRUE(device.run(**pipeline, into, one));
    ASSERT_TRUE(device.read(**buffer, 0, out));
    EXPECT_EQ(out[0], 10);
    EXPECT_EQ(out[1], 2);
  }
  pipeline->reset();
  for (const std::string& text : device.validation_log()) ADD_FAILURE() << text;
}

}  // namespace
}  // namespace kem::vulkan
