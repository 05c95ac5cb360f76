// Large results that a device with memory of its own copies into the caller's pages, which stay imported between calls:
// the right bytes, whatever the pages held, however the driver is, and nothing that outlives its pages.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "base/page_pool.h"
#include "double_words.spv.h"
#include "spin.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"
#include "vulkan/queues_testing.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMiB = size_t{1} << 20;
using PagesPointer = std::shared_ptr<Pages>;

// Whether something is mapped there: the system knows.
bool mapped(const void* address) {
  unsigned char resident = 0;
  return mincore(const_cast<void*>(address), 1, &resident) == 0;
}

// What the driver is asked for.
struct Watch {
  PFN_vkAllocateMemory allocate = nullptr;
  PFN_vkFreeMemory free = nullptr;
  std::mutex mutex;
  std::map<VkDeviceMemory, const void*> imported;
  int imports = 0;
  int freed_late = 0;  // when the pages had gone
  int refusals_left = 0;
  PFN_vkQueueSubmit submit = nullptr;
  std::atomic<bool> lost{false};
};
Watch* watch = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL watch_allocation(VkDevice device, const VkMemoryAllocateInfo* info,
                                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const std::lock_guard lock(watch->mutex);
  if (info->pNext == nullptr) return watch->allocate(device, info, callbacks, memory);
  if (watch->refusals_left > 0) {
    --watch->refusals_left;
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  const VkResult result = watch->allocate(device, info, callbacks, memory);
  if (result != VK_SUCCESS) return result;
  watch->imported[*memory] = static_cast<const VkImportMemoryHostPointerInfoEXT*>(info->pNext)->pHostPointer;
  ++watch->imports;
  return result;
}

VKAPI_ATTR void VKAPI_CALL watch_free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  {
    const std::lock_guard lock(watch->mutex);
    const auto found = watch->imported.find(memory);
    if (found != watch->imported.end()) {
      if (!mapped(found->second)) ++watch->freed_late;
      watch->imported.erase(found);
    }
  }
  watch->free(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL refuse_pointer(VkDevice, VkExternalMemoryHandleTypeFlagBits, const void*,
                                              VkMemoryHostPointerPropertiesEXT*) {
  return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VKAPI_ATTR VkResult VKAPI_CALL submit_unless_lost(VkQueue queue, uint32_t count, const VkSubmitInfo* info,
                                                  VkFence fence) {
  return watch->lost ? VK_ERROR_DEVICE_LOST : watch->submit(queue, count, info, fence);
}

// A device with memory of its own, whose driver is watched.
void make_discrete(Context& context) {
  watch->allocate = context.vk.vkAllocateMemory;
  watch->free = context.vk.vkFreeMemory;
  context.vk.vkAllocateMemory = watch_allocation;
  context.vk.vkFreeMemory = watch_free;
  context.unified = false;
  context.near_memory = false;
  context.imports.interval = 1ms;
}

struct Way {
  const char* name;
  AdjustContext adjust;
  bool imports;
};
const Way kWays[] = {
    {"Delivered", make_discrete, true},
    {"DeliveredAfterPieces",
     [](Context& context) {
       make_discrete(context);
       context.piece_bytes = 256u << 10;
     },
     true},
    {"DeliveredByCopyQueues",
     [](Context& context) {
       make_discrete(context);
       QueueStandIns::install(context, 4, 2);
       context.piece_bytes = 256u << 10;
       context.least_apart = 64u << 10;
     },
     true},
    {"DeliveredFromNearMemory",
     [](Context& context) {
       make_discrete(context);
       context.near_memory = true;
       context.near = {8u << 20, 8u << 20, true};
     },
     true},
    {"DeliveredWithFences",
     [](Context& context) {
       make_discrete(context);
       context.timeline = false;
     },
     true},
    {"Refused",
     [](Context& context) {
       make_discrete(context);
       context.vk.vkGetMemoryHostPointerPropertiesEXT = refuse_pointer;
     },
     false},
    {"WithoutTheExtension",
     [](Context& context) {
       make_discrete(context);
       context.import_alignment = 0;
     },
     false},
};

class Delivery : public testing::Test {
 protected:
  void open(AdjustContext adjust) {
    watch = &watch_;
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    can_import_ = device_->delivers();
    if (!can_import_) std::printf("this driver imports no memory: results are staged\n");
    double_ = pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  }
  void close() {
    double_.reset();
    device_.reset();
    EXPECT_TRUE(watch_.imported.empty());
    EXPECT_EQ(watch_.freed_late, 0);
    expect_empty(*log_);
  }
  void TearDown() override {
    if (device_ != nullptr) close();
  }

  std::unique_ptr<Pipeline> pipeline(std::span<const uint32_t> spirv, std::vector<LayoutBinding> bindings) {
    return make_pipeline(*device_, spirv, std::move(bindings));
  }

  // Pages that hold something else already.
  PagesPointer take(size_t bytes) {
    PagesPointer pages = pool_.take(bytes, PageContent::Any);
    std::memset(pages->data(), 0xa5, pages->size());
    return pages;
  }
  static Argument result_in(const Pages& pages, size_t bytes, uint32_t binding = 1) {
    Argument argument{0, binding, kOut, (bytes + 3) / 4 * 4, {}, std::span(pages.data(), bytes), {}, 0, true};
    argument.pages = &pages;
    return argument;
  }
  static Words words(size_t bytes, uint32_t seed) {
    Words made((bytes + 3) / 4);
    for (size_t i = 0; i < made.size(); ++i) made[i] = static_cast<uint32_t>(i) * 7 + seed;
    return made;
  }
  // All of the result, and nothing behind it.
  static void expect_doubled(const Pages& pages, size_t bytes, Words in) {
    for (uint32_t& word : in) word *= 2;
    EXPECT_EQ(std::memcmp(pages.data(), in.data(), bytes), 0);
    EXPECT_TRUE(std::all_of(pages.data() + bytes, pages.data() + pages.size(), [](uint8_t b) { return b == 0xa5; }));
  }
  Result<RunTimes> run(const Pipeline& kernel, const std::vector<Argument>& arguments, uint64_t workgroups,
                       std::shared_ptr<const void> lender, Clock::duration time = 60s) {
    Dispatch dispatch{{workgroups, 1, 1}, Clock::now() + time, nullptr};
    dispatch.lender = std::move(lender);
    return device_->run(kernel, arguments, dispatch);
  }
  // Doubles words into the pages and looks at them.
  void run_in(const PagesPointer& pages, size_t bytes, uint32_t seed) {
    const Words in = words(bytes, seed);
    const auto times = run(*double_, {{0, 0, kIn, in.size() * 4, vulkan::bytes(in), {}}, result_in(*pages, bytes)},
                           in.size() / 64 + 1, pages);
    ASSERT_TRUE(times) << times.error().message;
    expect_doubled(*pages, bytes, in);
  }
  // The same with pages of the pool.
  void run_once(size_t bytes, uint32_t seed) {
    PagesPointer pages = take(bytes);
    run_in(pages, bytes, seed);
    pool_.give_back(std::move(pages));
  }
  void wait_for_imports(uint64_t bytes) {
    while (device_->imported_bytes() != bytes) std::this_thread::sleep_for(1ms);
  }
  int imports() {
    const std::lock_guard lock(watch_.mutex);
    return watch_.imports;
  }
  int expected(int imports) const { return can_import_ ? imports : 0; }

  Watch watch_;
  PagePool pool_{256 * kMiB, 1h};
  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
  std::unique_ptr<Pipeline> double_;
  bool can_import_ = false;
};

class DeliveryWays : public Delivery, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    open(GetParam().adjust);
    can_import_ = can_import_ && GetParam().imports;
  }
};

// Pages are imported when they come back, once.
TEST_P(DeliveryWays, ResultsOfAnyLength) {
  int known = 0;
  for (const size_t bytes : {kMiB - 4, kMiB - 1, kMiB, kMiB + 1, kMiB + 2, kMiB + 4099, 2 * kMiB, 5 * kMiB + 3}) {
    PagesPointer pages = take(bytes);
    for (uint32_t round = 1; round <= 4; ++round) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, round " + std::to_string(round));
      run_in(pages, bytes, round * 1000);
      if (round == 2 && bytes >= kMiB) known += expected(1);
      EXPECT_EQ(imports(), known);
      pool_.give_back(std::move(pages));
      pages = take(bytes);
    }
  }
}

// One that is still with the caller, one that is being written.
TEST_P(DeliveryWays, PagesThatTakeTurns) {
  constexpr size_t kBytes = 2 * kMiB;
  PagesPointer last;
  for (uint32_t round = 0; round < 9; ++round) {
    PagesPointer pages = take(kBytes);
    run_in(pages, kBytes, round);
    pool_.give_back(std::exchange(last, std::move(pages)));
  }
  EXPECT_EQ(imports(), expected(2));
  pool_.give_back(std::move(last));
}

TEST_P(DeliveryWays, SeveralResultsOfOneSubmission) {
  constexpr size_t kSteps = 3;
  constexpr size_t kSizes[kSteps] = {kMiB + 1, 3 * kMiB, 100};
  for (uint32_t round = 0; round < 4; ++round) {
    Words in = words(3 * kMiB, round);
    auto all = std::make_shared<std::vector<PagesPointer>>();
    std::vector<std::vector<Argument>> arguments;
    std::vector<Step> steps;
    steps.reserve(std::size(kSizes));
    for (const size_t bytes : kSizes) {
      const Pages& pages = *all->emplace_back(take(bytes));
      const size_t bound = (bytes + 3) / 4 * 4;
      arguments.push_back(
          {{0, 0, kIn, bound, vulkan::bytes(std::as_const(in)).first(bound), {}}, result_in(pages, bytes)});
    }
    for (const auto& each : arguments) steps.push_back({double_.get(), each, {in.size() / 64 + 1, 1, 1}, {}, true});
    Terms terms{Clock::now() + 60s};
    terms.lender = all;
    Ending ending;
    ASSERT_TRUE(device_->start(steps, terms, ending));
    ASSERT_TRUE(ending.wait());
    for (size_t i = 0; i < kSteps; ++i) {
      expect_doubled(*(*all)[i], kSizes[i],
                     Words(in.begin(), in.begin() + static_cast<ptrdiff_t>((kSizes[i] + 3) / 4)));
      pool_.give_back((*all)[i]);
    }
  }
  EXPECT_EQ(imports(), expected(2));
}

TEST_P(DeliveryWays, ManyCallers) {
  std::vector<std::thread> callers;
  for (uint32_t caller = 0; caller < 4; ++caller)
    callers.emplace_back([this, caller] {
      for (uint32_t round = 0; round < 12; ++round) run_once((1 + round % 3) * kMiB + caller, caller * 100 + round);
    });
  for (std::thread& caller : callers) caller.join();
}

INSTANTIATE_TEST_SUITE_P(Ways, DeliveryWays, testing::ValuesIn(kWays),
                         [](const auto& test) { return std::string(test.param.name); });

// The import goes soon after the pool has let go of its pages, and keeps them mapped for so long: nothing else can come
// to lie there meanwhile.
TEST_F(Delivery, NothingOutlivesItsPages) {
  open(make_discrete);
  constexpr size_t kBytes = 4 * kMiB;
  const uint8_t* last = nullptr;
  int at_the_same = 0;
  for (uint32_t round = 0; round < 5; ++round) {
    for (uint32_t use = 0; use < 3; ++use) run_once(kBytes, 10 * round + use);
    EXPECT_EQ(imports(), expected(static_cast<int>(round) + 1));
    EXPECT_EQ(device_->imported_bytes(), can_import_ ? kBytes : 0);
    PagesPointer pages = pool_.take(kBytes, PageContent::Any);
    at_the_same += pages->data() == last ? 1 : 0;
    last = pages->data();
    PagePool(0, 0ns).give_back(std::move(pages));
    wait_for_imports(0);
    EXPECT_FALSE(mapped(last));
  }
  if (at_the_same == 0) std::printf("the system has never mapped at the same address\n");
}

// Who has the pages has no use for the device's interest in them.
TEST_F(Delivery, WhatNobodyUsesIsNotKept) {
  open([](Context& context) {
    make_discrete(context);
    context.imports.idle = 5ms;
  });
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t use = 0; use < 3; ++use) run_once(2 * kMiB, 10 * round + use);
    wait_for_imports(0);
  }
  EXPECT_GE(imports(), expected(3));
}

TEST_F(Delivery, OthersMakeRoomOnceTheyAreIdle) {
  open([](Context& context) {
    make_discrete(context);
    context.imports.bytes = 4 * kMiB;
    context.imports.settled = 0ns;
  });
  std::vector<PagesPointer> pages;
  for (int i = 0; i < 3; ++i) pool_.give_back(take(2 * kMiB));
  for (int i = 0; i < 3; ++i) {
    pages.push_back(pool_.take(2 * kMiB, PageContent::Any));
    pool_.give_back(pages.back());
    pages.back() = pool_.take(2 * kMiB, PageContent::Any);  // the second use
  }
  for (uint32_t round = 0; round < 12; ++round) {
    const PagesPointer& each = pages[round % 3];
    std::memset(each->data(), 0xa5, each->size());
    run_in(each, 2 * kMiB, round);
    EXPECT_LE(device_->imported_bytes(), 4 * kMiB);
    std::this_thread::sleep_for(3ms);  // the thread frees what makes room
  }
  EXPECT_GE(imports(), expected(3));
}

TEST_F(Delivery, TheBoundsHold) {
  open([](Context& context) {
    make_discrete(context);
    context.imports.number = 2;
    context.imports.bytes = 6 * kMiB;
    context.imports.settled = 1h;
  });
  std::vector<PagesPointer> out;
  for (const size_t bytes : {2 * kMiB, 7 * kMiB, 5 * kMiB, 4 * kMiB, kMiB}) {
    for (uint32_t use = 0; use < 3; ++use) run_once(bytes, use);
    out.push_back(take(bytes));
  }
  EXPECT_EQ(imports(), expected(2));  // 7 are too many, and then 5, and 1 would be the third
  EXPECT_EQ(device_->imported_bytes(), can_import_ ? 6 * kMiB : 0);
}

// A driver may have no room for a moment; one that always refuses is not asked for ever.
TEST_F(Delivery, AnImportThatFailsIsStaged) {
  open(make_discrete);
  watch_.refusals_left = 1;
  for (uint32_t use = 0; use < 4; ++use) run_once(2 * kMiB, use);
  EXPECT_EQ(imports(), expected(1));
  watch_.refusals_left = 1'000'000;
  for (uint32_t use = 0; use < 20; ++use) run_once(4 * kMiB, use);
  EXPECT_EQ(1'000'000 - watch_.refusals_left, expected(8));
  run_once(2 * kMiB, 1);  // what is imported goes on
  EXPECT_EQ(imports(), expected(1));
}

// An import takes longer than who is in a hurry has.
TEST_F(Delivery, NothingIsImportedAtOnce) {
  open(make_discrete);
  if (!can_import_) return;
  constexpr size_t kBytes = 2 * kMiB;
  const Words in = words(kBytes, 3);
  const auto at_once = [&](const PagesPointer& pages) {
    const std::vector<Argument> arguments{{0, 0, kIn, kBytes, bytes(in), {}}, result_in(*pages, kBytes)};
    Dispatch dispatch{{in.size() / 64 + 1, 1, 1}, Clock::now() + 60s, nullptr};
    dispatch.lender = pages;
    dispatch.prepared_only = true;
    Ending ending;
    const auto started = device_->start(*double_, arguments, dispatch, ending);
    EXPECT_TRUE(started);
    const bool running = started && *started;
    EXPECT_TRUE(!running || ending.wait().has_value());
    return running;
  };
  PagesPointer pages = take(kBytes);
  EXPECT_FALSE(at_once(pages)) << "nothing is prepared";
  run_in(pages, kBytes, 1);
  EXPECT_TRUE(at_once(pages)) << "staged, as before";
  pool_.give_back(std::move(pages));
  pages = take(kBytes);
  EXPECT_FALSE(at_once(pages));
  EXPECT_EQ(imports(), 0);
  run_in(pages, kBytes, 2);
  std::memset(pages->data(), 0xa5, pages->size());
  EXPECT_TRUE(at_once(pages));
  expect_doubled(*pages, kBytes, in);
  EXPECT_EQ(imports(), 1);
}

// The device may go on after that: import and pages stay until it has ended.
TEST_F(Delivery, WhatHasBeenAbandonedKeepsItsPages) {
  open(make_discrete);
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  for (uint32_t round = 0; round < 3; ++round) {
    const bool cancelled = round == 1;
    PagesPointer pages = take(2 * kMiB);
    pool_.give_back(std::move(pages));
    pages = pool_.take(2 * kMiB, PageContent::Any);
    const std::weak_ptr<Pages> kept = pages;
    const std::vector<Argument> arguments{result_in(*pages, 2 * kMiB, 0)};
    Dispatch dispatch{{10'000'000, 1, 1}, Clock::now() + 20ms, nullptr};
    dispatch.lender = std::shared_ptr<const void>(nullptr, [this, pages](const void*) { pool_.give_back(pages); });
    pages.reset();
    Ending ending;
    if (cancelled) dispatch.deadline += 60s;
    std::atomic<bool> stop{false};
    dispatch.cancelled = &stop;
    const auto started = device_->start(*spin, arguments, dispatch, ending);
    ASSERT_TRUE(started && *started);
    if (cancelled) stop = true;
    dispatch.lender.reset();
    const auto result = ending.wait();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error_class, cancelled ? ErrorClass::Cancelled : ErrorClass::Timeout);
    run_once(kMiB, round);  // the queue runs in order, but there may be two
    while (pool_.kept() < 2 * kMiB) std::this_thread::sleep_for(1ms);
    ASSERT_FALSE(kept.expired());
    run_once(2 * kMiB, round);
  }
}

// Its imports go with it, and the pages to the next.
TEST_F(Delivery, PagesOutliveALostDevice) {
  open([](Context& context) {
    make_discrete(context);
    watch->submit = context.vk.vkQueueSubmit;
    context.vk.vkQueueSubmit = submit_unless_lost;
  });
  constexpr size_t kBytes = 2 * kMiB;
  for (uint32_t use = 0; use < 3; ++use) run_once(kBytes, use);
  watch_.lost = true;
  const Words in = words(kBytes, 1);
  PagesPointer pages = take(kBytes);
  const auto times = run(*double_, {{0, 0, kIn, kBytes, bytes(in), {}}, result_in(*pages, kBytes)}, 10, pages);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().error_class, ErrorClass::DeviceLost);
  close();
  open(make_discrete);
  run_in(pages, kBytes, 3);
  EXPECT_EQ(imports(), expected(2));
}

// Binaries outlive the device.
TEST_F(Delivery, PagesOutliveTheDevice) {
  open(make_discrete);
  constexpr size_t kBytes = 3 * kMiB;
  for (uint32_t use = 0; use < 2; ++use) run_once(kBytes, use);
  const PagesPointer pages = take(kBytes);
  run_in(pages, kBytes, 5);
  EXPECT_EQ(imports(), expected(1));
  close();
  expect_doubled(*pages, kBytes, words(kBytes, 5));
  open(make_discrete);
  std::memset(pages->data(), 0xa5, pages->size());
  run_in(pages, kBytes, 6);
  EXPECT_EQ(imports(), expected(2));
}

}  // namespace
}  // namespace kem::vulkan
