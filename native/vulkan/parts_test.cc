// The parts that need no device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "vulkan/device_choice.h"
#include "vulkan/memory.h"
#include "vulkan/open.h"
#include "vulkan/pace.h"
#include "vulkan/vk_error.h"
#include "vulkan/workgroup_cursor.h"

namespace kem::vulkan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Candidate candidate(uint32_t index, std::string name, VkPhysicalDeviceType type, std::string uuid,
                    std::string unusable = "") {
  Candidate result;
  result.type = type;
  result.info.index = index;
  result.info.name = std::move(name);
  result.info.uuid = std::move(uuid);
  result.unusable = std::move(unusable);
  return result;
}

const std::vector<Candidate>& machine() {
  static const std::vector<Candidate> candidates{
      candidate(0, "llvmpipe (LLVM)", VK_PHYSICAL_DEVICE_TYPE_CPU, std::string(32, '0')),
      candidate(1, "Virtio GPU", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, std::string(32, '1')),
      candidate(2, "Old Radeon", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, std::string(32, '2'), "has no compute queue"),
      candidate(3, "Iris 7", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, std::string(32, '3')),
      candidate(4, "NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "4444444444444444444444444444abcd"),
      candidate(5, "NVIDIA H200", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, std::string(32, '5')),
  };
  return candidates;
}

std::vector<size_t> chosen(std::string_view selector) {
  auto choice = choose(machine(), selector);
  EXPECT_TRUE(choice) << choice.error().message;
  return choice ? choice->devices : std::vector<size_t>();
}

TEST(Choose, AllOfTheBestKindAndTheNextBestInstead) {
  const auto best = choose(machine(), "");
  ASSERT_TRUE(best);
  EXPECT_THAT(best->devices, ElementsAre(4, 5));
  EXPECT_THAT(best->instead, ElementsAre(3, 1, 0));
}

TEST(Choose, OneCpuAndNoneBesideGpus) {
  const std::vector<Candidate> cpus{
      candidate(0, "llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU, std::string(32, '0')),
      candidate(1, "SwiftShader", VK_PHYSICAL_DEVICE_TYPE_CPU, std::string(32, '1')),
  };
  const auto one = choose(cpus, "");
  ASSERT_TRUE(one);
  EXPECT_THAT(one->devices, ElementsAre(0));
  EXPECT_THAT(one->instead, ElementsAre(1));
  const auto both = choose(cpus, "all");
  ASSERT_TRUE(both);
  EXPECT_THAT(both->devices, ElementsAre(0, 1));
  EXPECT_TRUE(both->instead.empty());
  EXPECT_THAT(chosen("all"), ElementsAre(4, 5, 3, 1, 0));
}

TEST(Choose, ByIndexNamePartOrUuid) {
  EXPECT_THAT(chosen("0"), ElementsAre(0));
  EXPECT_THAT(chosen(" IRIS "), ElementsAre(3));
  const auto part = choose(machine(), "h2");
  ASSERT_TRUE(part);
  EXPECT_THAT(part->devices, ElementsAre(4));
  EXPECT_THAT(part->instead, ElementsAre(5));
  EXPECT_THAT(chosen("200"), ElementsAre(4));  // no such index, so part of a name
  EXPECT_THAT(chosen(std::string(32, '5')), ElementsAre(5));
  EXPECT_THAT(chosen("44444444-4444-4444-4444-44444444ABCD"), ElementsAre(4));
}

TEST(Choose, Lists) {
  EXPECT_THAT(chosen("3,1"), ElementsAre(3, 1));
  EXPECT_THAT(chosen("h200, h200,0,"), ElementsAre(4, 5, 0));
  EXPECT_THAT(chosen(std::string(32, '5') + ",H200"), ElementsAre(5, 4));
  EXPECT_THAT(chosen("0,0"), ElementsAre(0, 0));
  const std::vector<Candidate> named{candidate(0, "llvmpipe (LLVM 15, 256 bits)", VK_PHYSICAL_DEVICE_TYPE_CPU, "a")};
  const auto whole = choose(named, "llvmpipe (LLVM 15, 256 bits)");
  ASSERT_TRUE(whole) << "a comma in a name separates nothing";
  EXPECT_THAT(whole->devices, ElementsAre(0));
  const auto too_many = choose(machine(), "h200,h200,h200");
  ASSERT_FALSE(too_many);
  EXPECT_THAT(too_many.error().message, HasSubstr("no Vulkan device matches 'h200'"));
  EXPECT_FALSE(choose(machine(), "3,radeon"));
  EXPECT_FALSE(choose(machine(), ","));
}

TEST(Choose, ErrorsSayWhatWasFound) {
  const auto unknown = choose(machine(), "Voodoo");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().error_class, ErrorClass::NoDevice);
  EXPECT_THAT(unknown.error().message, HasSubstr("no Vulkan device matches 'Voodoo'"));
  EXPECT_THAT(unknown.error().message, HasSubstr("3: Iris 7"));
  const auto unusable = choose(machine(), "radeon");
  ASSERT_FALSE(unusable);
  EXPECT_THAT(unusable.error().message, HasSubstr("has no compute queue"));
  EXPECT_FALSE(choose(machine(), "6"));
  EXPECT_FALSE(choose(machine(), std::string(32, '9')));
  EXPECT_FALSE(choose({}, ""));
}

// Memory types of the shape that discrete devices have.
VkPhysicalDeviceMemoryProperties discrete_memory() {
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryTypeCount = 6;
  memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT;
  memory.memoryTypes[1].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  memory.memoryTypes[2].propertyFlags = kHost;
  memory.memoryTypes[3].propertyFlags = kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  memory.memoryTypes[4].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | kHost;
  memory.memoryTypes[5].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  return memory;
}

TEST(MemoryType, DiscreteDevice) {
  const auto memory = discrete_memory();
  EXPECT_EQ(choose_memory_type(memory, ~0u, MemoryUse::Device), 1u);
  EXPECT_EQ(choose_memory_type(memory, ~0u, MemoryUse::Upload), 2u);
  EXPECT_EQ(choose_memory_type(memory, ~0u, MemoryUse::Readback), 3u);
  EXPECT_EQ(choose_memory_type(memory, ~0u, MemoryUse::Near), 4u);
  EXPECT_EQ(choose_memory_type(memory, ~(1u << 1), MemoryUse::Device), 4u);
  EXPECT_EQ(choose_memory_type(memory, ~(1u << 4), MemoryUse::Near), std::nullopt);
  EXPECT_EQ(choose_memory_type(memory, 1u << 5, MemoryUse::Readback), std::nullopt);  // not coherent
}

TEST(MemoryType, OneTypeForAll) {
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryTypeCount = 1;
  memory.memoryTypes[0].propertyFlags = 15;
  for (size_t use = 0; use < kMemoryUses; ++use)
    EXPECT_EQ(choose_memory_type(memory, 1, static_cast<MemoryUse>(use)), 0u) << use;
}

// Runs every box, asserts that each workgroup is met once, in no more than `most` boxes.
void expect_covers(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> limit, uint64_t budget, size_t most) {
  WorkgroupCursor cursor(grid, limit);
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> met;
  size_t boxes = 0;
  for (; !cursor.done(); ++boxes) {
    const WorkgroupBox box = cursor.next(budget);
    ASSERT_GT(box.workgroups(), 0u);
    ASSERT_LE(box.workgroups(), budget);
    for (size_t d = 0; d < 3; ++d) ASSERT_LE(box.count[d], limit[d]);
    for (uint32_t z = 0; z < box.count[2]; ++z)
      for (uint32_t y = 0; y < box.count[1]; ++y)
        for (uint32_t x = 0; x < box.count[0]; ++x)
          ASSERT_TRUE(met.insert({box.base[0] + x, box.base[1] + y, box.base[2] + z}).second);
  }
  EXPECT_EQ(met.size(), size_t{grid[0]} * grid[1] * grid[2]);
  EXPECT_LE(boxes, most);
}

TEST(WorkgroupCursor, CoversTheGridOnce) {
  for (const uint64_t budget : {uint64_t{1}, uint64_t{2}, uint64_t{5}, uint64_t{7}, uint64_t{24}, ~uint64_t{0}})
    for (const std::array<uint32_t, 3> limit : {std::array<uint32_t, 3>{9, 9, 9}, {2, 3, 1}, {3, 1, 9}, {1, 1, 1}})
      expect_covers({5, 4, 3}, limit, budget, 60);
  expect_covers({5, 4, 3}, {5, 4, 3}, ~uint64_t{0}, 1);
  expect_covers({5, 4, 3}, {4, 4, 3}, ~uint64_t{0}, 24);
  expect_covers({5, 4, 3}, {5, 4, 3}, 20, 3);
}

TEST(WorkgroupCursor, EmptyAndHugeGrids) {
  EXPECT_TRUE(WorkgroupCursor({0, 1, 1}, {9, 9, 9}).done());
  EXPECT_TRUE(WorkgroupCursor({1, 1, 0}, {9, 9, 9}).done());
  EXPECT_EQ(count_workgroups({~0u, ~0u, ~0u}), ~uint64_t{0});
  EXPECT_EQ(count_workgroups({7, 5, 3}), 105u);
  WorkgroupCursor cursor({~0u, 1, 1}, {65535, 65535, 65535});
  uint64_t sum = 0;
  while (!cursor.done()) sum += cursor.next(~uint64_t{0}).workgroups();
  EXPECT_EQ(sum, uint64_t{~0u});
}

TEST(Pace, SlicesTakeTheirTime) {
  Pace pace;
  EXPECT_EQ(pace.first_slice(), Pace::kUnknownSlice);
  EXPECT_EQ(pace.next_slice(256, std::chrono::microseconds(100)), 256 * Pace::kGrowth);  // cheap: as much as allowed
  EXPECT_EQ(pace.next_slice(4096, std::chrono::seconds(4)), 51u);                        // 50 ms at 0.98 ms each
  EXPECT_LT(pace.first_slice(), 60u);
  EXPECT_EQ(pace.next_slice(1, std::chrono::seconds(10)), 1u);
  EXPECT_EQ(pace.first_slice(), 1u);
  EXPECT_GE(pace.next_slice(~uint64_t{0}, std::chrono::nanoseconds(0)), 1u);
}

TEST(Pace, AFewCheapWorkgroupsSayNothing) {
  Pace pace;
  pace.next_slice(1, std::chrono::microseconds(40));
  EXPECT_EQ(pace.first_slice(), Pace::kUnknownSlice);
}

TEST(Polling, NotOnCpusAndNotWithFewCores) {
  using std::chrono::microseconds;
  EXPECT_EQ(usual_polling(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 16), microseconds(50));
  EXPECT_EQ(usual_polling(VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, 4), microseconds(50));
  EXPECT_EQ(usual_polling(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 3), microseconds(0));
  EXPECT_EQ(usual_polling(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, 0), microseconds(0)) << "not known";
  EXPECT_EQ(usual_polling(VK_PHYSICAL_DEVICE_TYPE_CPU, 64), microseconds(0));
}

TEST(VkError, ClassesAndNames) {
  EXPECT_EQ(failure("f", VK_ERROR_DEVICE_LOST).value().error_class, ErrorClass::DeviceLost);
  EXPECT_EQ(failure("f", VK_ERROR_OUT_OF_DEVICE_MEMORY).value().error_class, ErrorClass::OutOfMemory);
  EXPECT_EQ(failure("f", VK_ERROR_DEVICE_LOST).value().message, "f: VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(failure("f", static_cast<VkResult>(-77)).value().message, "f: VkResult -77");
}

}  // namespace
}  // namespace kem::vulkan
