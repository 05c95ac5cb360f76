// Which devices the environment and the selector choose. Children have an environment of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "double_words.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"
#include "vulkan/twin_device.h"

namespace kem::vulkan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Open, SelectsByEveryForm) {
  const auto all = enumerate();
  ASSERT_TRUE(all) << all.error().message;
  const DeviceInfo& last = all->back();
  for (const std::string& selector : {std::to_string(last.index), last.uuid, last.name.substr(1, 5)}) {
    DeviceOptions options;
    options.selector = selector;
    const auto device = Device::open(options);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_FALSE((*device)->validating());
    if (selector != last.name.substr(1, 5)) {
      EXPECT_EQ((*device)->info().uuid, last.uuid);
    }
  }
  DeviceOptions options;
  options.selector = "no such device";
  const auto device = Device::open(options);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().error_class, ErrorClass::NoDevice);
  EXPECT_THAT(device.error().message, HasSubstr(last.name));
}

std::vector<uint32_t> doubled(Device& device, const Words& in) {
  const auto pipeline = make_pipeline(device, double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  Words out(in.size());
  const std::array arguments{input(0, in), output(1, out)};
  if (pipeline) {
    const auto times = device.run(*pipeline, arguments, groups(1));
    EXPECT_TRUE(times) << times.error().message;
  }
  return out;
}

// Every device of this machine, the first one twice, opened and used at the same time.
// A device that is told to poll does so, whatever it is.
TEST(Open, PollsAsLongAsItIsTold) {
  for (const int microseconds : {0, 200}) {
    DeviceOptions options;
    options.polling = std::chrono::microseconds(microseconds);
    auto device = DeviceImpl::open(options);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_EQ((*device)->polling(), options.polling);
    EXPECT_TRUE((*device)->measure_empty_submit(3));
  }
}

TEST(Open, SeveralAtOnce) {
  DeviceOptions options;
  options.validation = true;
  options.selector = "0";
  const auto all = enumerate();
  ASSERT_TRUE(all) << all.error().message;
  for (const DeviceInfo& info : *all) options.selector += "," + std::to_string(info.index);
  const auto selection = Selection::make(options);
  ASSERT_TRUE(selection) << selection.error().message;
  const size_t count = (*selection)->devices().size();
  ASSERT_EQ(count, all->size() + 1);
  EXPECT_EQ((*selection)->devices()[0].uuid, (*selection)->devices()[1].uuid);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      for (int again = 0; again < 2; ++again) {
        const auto device = (*selection)->open(i);
        ASSERT_TRUE(device) << device.error().message;
        EXPECT_EQ((*device)->info().uuid, (*selection)->devices()[i].uuid);
        EXPECT_THAT(doubled(**device, {1, 3, 5, 7}), ElementsAre(2, 6, 10, 14));
        for (const std::string& text : (*device)->validation_log()) ADD_FAILURE() << text;
        // The twin that lavapipe has is told by a variable, which others must not see.
        if ((*device)->info().driver == "llvmpipe" && std::getenv("LP_NUM_THREADS") == nullptr) {
          EXPECT_NE(dynamic_cast<TwinDevice*>(device->get()), nullptr);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Open, TheFirstOfAList) {
  DeviceOptions options;
  const auto all = enumerate();
  ASSERT_TRUE(all) << all.error().message;
  options.selector = std::to_string(all->back().index) + ",0";
  const auto device = Device::open(options);
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_EQ((*device)->info().uuid, all->back().uuid);
}

int open_without_driver() {
  setenv("VK_DRIVER_FILES", "/nonexistent", 1);
  setenv("VK_ICD_FILENAMES", "/nonexistent", 1);
  const auto all = enumerate();
  const auto device = Device::open({});
  const bool expected = !all && all.error().error_class == ErrorClass::NoDevice && !device &&
                        device.error().error_class == ErrorClass::NoDevice;
  if (!device) std::fprintf(stderr, "%s\n", device.error().message.c_str());
  return expected ? 0 : 1;
}

TEST(OpenDeathTest, NoDriverIsNoDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(open_without_driver()), testing::ExitedWithCode(0), "no driver");
}

}  // namespace
}  // namespace kem::vulkan
