// Memory that callers lend: used in place where the driver and its place allow, copied elsewhere, and kept as long as
// the device may touch it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "base/page_pool.h"
#include "count_groups.spv.h"
#include "double_words.spv.h"
#include "spin.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"
#include "write_lengths.spv.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;

// Pages of zeros, which know when they go.
struct Memory {
  explicit Memory(size_t bytes) : pages(Pages::map(bytes)) {}
  std::span<uint8_t> at(size_t offset, size_t bytes) const { return {pages->data() + offset, bytes}; }
  uint32_t word(size_t index) const {
    uint32_t word = 0;
    std::memcpy(&word, pages->data() + index * sizeof word, sizeof word);
    return word;
  }

  std::shared_ptr<Pages> pages;
};

// What the driver is asked for.
struct Watch {
  PFN_vkAllocateMemory allocate = nullptr;
  PFN_vkFreeMemory free = nullptr;
  std::mutex mutex;
  std::set<VkDeviceMemory> imported;
  int imports = 0;
  int freed_late = 0;  // imported memory that was freed when its lender had gone
  std::weak_ptr<const void> lender;
};
Watch* watch = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL watch_allocation(VkDevice device, const VkMemoryAllocateInfo* info,
                                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const VkResult result = watch->allocate(device, info, callbacks, memory);
  const std::lock_guard lock(watch->mutex);
  if (result != VK_SUCCESS || info->pNext == nullptr) return result;
  watch->imported.insert(*memory);
  ++watch->imports;
  return result;
}

VKAPI_ATTR void VKAPI_CALL watch_free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  {
    const std::lock_guard lock(watch->mutex);
    if (watch->imported.erase(memory) != 0 && watch->lender.expired()) ++watch->freed_late;
  }
  watch->free(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL refuse_pointer(VkDevice, VkExternalMemoryHandleTypeFlagBits, const void*,
                                              VkMemoryHostPointerPropertiesEXT*) {
  return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

void watch_driver(Context& context) {
  watch->allocate = context.vk.vkAllocateMemory;
  watch->free = context.vk.vkFreeMemory;
  context.vk.vkAllocateMemory = watch_allocation;
  context.vk.vkFreeMemory = watch_free;
}

struct Driver {
  const char* name;
  AdjustContext adjust;
  bool imports;
};
const Driver kDrivers[] = {
    {"AsFound", watch_driver, true},
    {"Staged",
     [](Context& context) {
       watch_driver(context);
       context.unified = false;
       context.near_memory = false;
     },
     false},
    {"WithoutTheExtension",
     [](Context& context) {
       watch_driver(context);
       context.import_alignment = 0;
     },
     false},
    {"Refused",
     [](Context& context) {
       watch_driver(context);
       context.vk.vkGetMemoryHostPointerPropertiesEXT = refuse_pointer;
     },
     false},
};

class LentTest : public testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    watch = &watch_;
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, GetParam().adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    // What a driver is asked for is not the same on all of them.
    can_import_ = GetParam().imports && device_->limits().least_lent_bytes != ~uint64_t{0};
    if (GetParam().imports && !can_import_) std::printf("this driver imports no memory: what is lent is copied\n");
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(watch_.imported.size(), 0u);
    EXPECT_EQ(watch_.freed_late, 0);
    expect_empty(*log_);
  }

  std::unique_ptr<Pipeline> pipeline(std::span<const uint32_t> spirv, std::vector<LayoutBinding> bindings) {
    return make_pipeline(*device_, spirv, std::move(bindings));
  }
  std::unique_ptr<Pipeline> double_words() { return pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}}); }

  // Runs and lets go of the lender.
  Status run(const Pipeline& pipeline, std::vector<Argument> arguments, uint64_t workgroups,
             std::shared_ptr<const void> lender, Clock::duration time = 60s) {
    Dispatch dispatch{{workgroups, 1, 1}, Clock::now() + time, nullptr};
    watch_.lender = lender;
    dispatch.lender = std::move(lender);
    auto times = device_->run(pipeline, arguments, dispatch);
    if (!times) return fail(times.error());
    return {};
  }
  int imports(int expected) const { return can_import_ ? expected : 0; }

  static Argument lent_input(std::span<const uint8_t> bytes) {
    return {0, 0, kIn, bytes.size(), bytes, {}, {}, 0, true};
  }
  static Argument lent_output(std::span<uint8_t> bytes, uint32_t binding = 1) {
    return {0, binding, kOut, (bytes.size() + 3) / 4 * 4, {}, bytes, {}, 0, true};
  }
  static void fill(std::span<uint8_t> bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i / 4 + 1);
  }

  Watch watch_;
  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
  bool can_import_ = false;
};

constexpr size_t kWords = 100'000;

TEST_P(LentTest, IsUsedInPlace) {
  const auto kernel = double_words();
  for (int round = 1; round <= 3; ++round) {
    const auto in = std::make_shared<Memory>(kWords * 4 + 256), out = std::make_shared<Memory>(kWords * 4);
    const auto lender = std::make_shared<std::pair<std::shared_ptr<Memory>, std::shared_ptr<Memory>>>(in, out);
    const auto input = in->at(256, kWords * 4);  // an offset that every driver can bind at
    for (uint32_t i = 0; i < kWords; ++i) std::memcpy(input.data() + i * sizeof i, &i, sizeof i);
    ASSERT_TRUE(run(*kernel, {lent_input(input), lent_output(out->at(0, kWords * 4))}, kWords / 64 + 1, lender));
    for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(out->word(i), 2 * i);
    EXPECT_EQ(watch_.imports, imports(2 * round));
  }
}

// The kernel sees the input's length, not the page's, whatever lies behind.
TEST_P(LentTest, EndsWhereTheInputEnds) {
  const auto kernel = double_words();
  const auto in = std::make_shared<Memory>(8192);
  std::memset(in->pages->data(), 0xff, in->pages->size());
  fill(in->at(256, 40));
  Words out(64, 7);
  ASSERT_TRUE(run(*kernel, {lent_input(in->at(256, 40)), {0, 1, kOut, 256, {}, bytes(out)}}, 1, in));
  EXPECT_EQ(watch_.imports, imports(1));
  EXPECT_EQ(out[9], 2 * 0x0a0a0a0au);
  EXPECT_EQ(Words(out.begin() + 10, out.end()), Words(54));
}

// The result ends within a word: the kernel sees the whole word, and no more.
TEST_P(LentTest, ResultsOfAnyLength) {
  const auto kernel = pipeline(write_lengths_spv, {{0, 0, kOut}});
  for (const size_t size : {size_t{4096}, size_t{8190}, size_t{9}}) {
    const auto out = std::make_shared<Memory>(3 * 4096);
    ASSERT_TRUE(run(*kernel, {lent_output(out->at(0, size), 0)}, 1, out));
    EXPECT_EQ(out->word(0), (size + 3) / 4);
    EXPECT_EQ(out->word(1), 0u) << "the kernel has found bytes that are not zero";
  }
  EXPECT_EQ(watch_.imports, imports(3));
}

TEST_P(LentTest, IsCopiedWhereItCannotBeBound) {
  const auto kernel = double_words();
  const auto in = std::make_shared<Memory>(8192), out = std::make_shared<Memory>(8192);
  fill(in->at(0, 8192));
  Words plain(16);
  const Argument plain_output{0, 1, kOut, 64, {}, bytes(plain)};
  const auto input_at = [&](size_t offset, size_t bytes) {
    Argument argument = lent_input(in->at(offset, bytes));
    argument.size = 64;
    return argument;
  };
  ASSERT_TRUE(run(*kernel, {input_at(4, 64), plain_output}, 1, in));  // no offset of a binding
  EXPECT_EQ(plain[0], 2 * 0x02020202u);
  ASSERT_TRUE(run(*kernel, {input_at(256, 63), plain_output}, 1, in));  // padded: a byte is not the caller's
  EXPECT_EQ(plain[15], 2 * (in->word(79) & 0xffffff));
  const Words words(16, 21);
  const Argument plain_input{0, 0, kIn, 64, bytes(words), {}};
  ASSERT_TRUE(run(*kernel, {plain_input, lent_output(out->at(256, 64))}, 1, out));  // no page begins there
  EXPECT_EQ(out->word(64), 42u);
  // A kernel that writes gets nothing that has been written already.
  const auto counter = pipeline(count_groups_spv, {{0, 0, kOut}});
  Argument both = lent_output(out->at(0, 64), 0);
  both.initial = bytes(words);
  ASSERT_TRUE(run(*counter, {both}, 1, out));
  EXPECT_EQ(out->word(0), 22u);
  Argument only_initial{0, 0, kOut, 64, in->at(0, 64), {}, {}, 0, true};
  ASSERT_TRUE(run(*counter, {only_initial}, 1, in));
  EXPECT_EQ(in->word(0), 0x01010101u) << "the kernel has written to an input";
  EXPECT_EQ(watch_.imports, 0);
}

TEST_P(LentTest, ServesEverySliceOfAJob) {
  const auto counter = pipeline(count_groups_spv, {{0, 0, kOut}});
  dynamic_cast<const PipelineHandle&>(*counter).state()->pace.next_slice(1000, 50ms);
  constexpr size_t kGroups = 20'000;
  const auto out = std::make_shared<Memory>(kGroups * 4);
  ASSERT_TRUE(run(*counter, {lent_output(out->at(0, kGroups * 4), 0)}, kGroups, out));
  for (uint32_t i = 0; i < kGroups; ++i) ASSERT_EQ(out->word(i), i + 1);
  EXPECT_EQ(watch_.imports, imports(1));
}

// The driver's free of the import is what would come too late.
TEST_P(LentTest, IsKeptByWhatHasBeenAbandoned) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  const auto kernel = double_words();
  for (int round = 0; round < 3; ++round) {
    auto out = std::make_shared<Memory>(4096);
    const std::weak_ptr<Memory> kept = out;
    const auto result = out->at(0, 4096);
    const Status status = run(*spin, {lent_output(result, 0)}, 10'000'000, std::move(out), 20ms);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().error_class, ErrorClass::Timeout) << status.error().message;
    Words in(16, 21), doubled(16);
    while (!kept.expired())  // the queue runs in order
      ASSERT_TRUE(device_->run(
          *kernel, std::vector<Argument>{{0, 0, kIn, 64, bytes(in), {}}, {0, 1, kOut, 64, {}, bytes(doubled)}},
          Dispatch{{1, 1, 1}, Clock::now() + 60s, nullptr}));
    EXPECT_EQ(doubled, Words(16, 42));
  }
}

// One submission of several calls with memory of their own.
TEST_P(LentTest, ServesStepsThatRunBesideEachOther) {
  const auto kernel = double_words();
  constexpr size_t kSteps = 5, kBytes = 40'000;
  const auto in = std::make_shared<Memory>(kBytes), out = std::make_shared<Memory>(kSteps * 40'960);
  fill(in->at(0, kBytes));
  std::vector<std::vector<Argument>> arguments;
  arguments.reserve(kSteps);
  std::vector<Step> steps;
  steps.reserve(kSteps);
  for (size_t i = 0; i < kSteps; ++i)
    arguments.push_back({lent_input(in->at(0, kBytes)), lent_output(out->at(i * 40'960, kBytes))});
  for (const auto& each : arguments) steps.push_back({kernel.get(), each, {kBytes / 256 + 1, 1, 1}, {}, true});
  Ending ending;
  Terms terms{Clock::now() + 60s};
  terms.lender = std::make_shared<std::pair<std::shared_ptr<Memory>, std::shared_ptr<Memory>>>(in, out);
  watch_.lender = terms.lender;
  ASSERT_TRUE(device_->start(steps, terms, ending));
  ASSERT_TRUE(ending.wait());
  for (size_t i = 0; i < kSteps; ++i)
    for (size_t word = 0; word < kBytes / 4; ++word) ASSERT_EQ(out->word(i * 10'240 + word), in->word(word) * 2);
  terms.lender.reset();
}

INSTANTIATE_TEST_SUITE_P(Drivers, LentTest, testing::ValuesIn(kDrivers),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kem::vulkan
