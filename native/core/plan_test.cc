#include "core/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace kem::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wgsl::BindingKind;

constexpr uint64_t kMiB = 1u << 20;

vulkan::DeviceLimits device() {
  vulkan::DeviceLimits limits;
  limits.max_storage_range = 512 * kMiB;
  limits.max_uniform_range = 65536;
  return limits;
}

wgsl::Binding binding(uint32_t number, BindingKind kind, uint64_t min_size = 4) {
  wgsl::Binding out;
  out.binding = number;
  out.kind = kind;
  out.name = "v" + std::to_string(number);
  out.type = "array<u32>";
  out.min_size = min_size;
  return out;
}

wgsl::Reflection kernel(std::array<uint32_t, 3> size = {256, 1, 1}, bool params = false) {
  wgsl::Reflection reflection;
  reflection.entry_point = "main";
  reflection.workgroup_size = size;
  reflection.bindings = {binding(0, BindingKind::StorageRead), binding(1, BindingKind::StorageReadWrite)};
  if (params) reflection.bindings.push_back(binding(2, BindingKind::Uniform, 8));
  return reflection;
}

std::vector<uint8_t> words(std::initializer_list<uint32_t> values) {
  std::vector<uint8_t> bytes;
  for (const uint32_t value : values) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(value >> shift));
  }
  return bytes;
}

struct LinearRow {
  uint64_t input;
  uint64_t ratio;
  uint32_t workgroup_size;
  uint64_t output;
  uint64_t groups;
};

// A buffer that is only ever pointed at.
class NoBuffer final : public vulkan::Buffer {
 public:
  uint64_t size() const override { return 0; }
};

TEST(Residents, TakeThePlaceOfBytes) {
  NoBuffer in, out;
  Call call;
  call.resident_input = {&in, 10};
  call.resident_output = {&out, 1001};
  Limits limits;
  limits.input_bytes = limits.output_bytes = 4;  // of what travels
  EXPECT_TRUE(check_call(call, limits));
  const auto plan = plan_call(call, kernel({64, 1, 1}), limits, device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->output_bytes, 1001u);
  EXPECT_THAT(plan->workgroups, ElementsAre(4, 1, 1)) << "251 words";
  EXPECT_EQ(plan->arguments[0].resident, &in);
  EXPECT_EQ(plan->arguments[0].size, 12u);
  EXPECT_TRUE(plan->arguments[0].initial.empty());
  EXPECT_EQ(plan->arguments[1].resident, &out);
  EXPECT_EQ(plan->arguments[1].size, 1004u);
  EXPECT_EQ(traffic_of(call, limits).sum(), 0u);

  call.resident_output = {};
  call.output = OutputHint{2};
  EXPECT_EQ(traffic_of(call, Limits()).output, 20u);
  EXPECT_EQ(plan_call(call, kernel(), Limits(), device())->output_bytes, 20u);
  EXPECT_EQ(traffic_of(call, limits).output, 4u);
  EXPECT_EQ(check_call(call, limits).error().error_class, ErrorClass::OutputTooLarge);
}

TEST(Residents, TheDevicesRangeHolds) {
  NoBuffer in;
  Call call;
  call.resident_input = {&in, 513 * kMiB};
  call.output = OutputBytes{4};
  EXPECT_EQ(plan_call(call, kernel(), Limits(), device()).error().error_class, ErrorClass::InputTooLarge);
}

class Linear : public ::testing::TestWithParam<LinearRow> {};

TEST_P(Linear, SizesAndWorkgroups) {
  const LinearRow& row = GetParam();
  const std::vector<uint8_t> input(row.input);
  const auto plan = plan_call({input, {}, OutputHint{row.ratio}, DispatchLinear{}}, kernel({row.workgroup_size, 1, 1}),
                              Limits{}, device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->output_bytes, row.output);
  EXPECT_THAT(plan->workgroups, ElementsAre(row.groups, 1, 1));
  ASSERT_EQ(plan->arguments.size(), 2u);
  EXPECT_EQ(plan->arguments[0].size, (row.input + 3) / 4 * 4);
  EXPECT_EQ(plan->arguments[0].initial.size(), row.input);
  EXPECT_EQ(plan->arguments[1].size, (row.output + 3) / 4 * 4);
  EXPECT_TRUE(plan->arguments[1].initial.empty());
  EXPECT_EQ(plan->output_argument, 1u);
}

INSTANTIATE_TEST_SUITE_P(Rows, Linear,
                         ::testing::Values(LinearRow{4, 1, 256, 4, 1}, LinearRow{1, 1, 256, 1, 1},
                                           LinearRow{5, 1, 256, 5, 1}, LinearRow{7, 3, 256, 21, 1},
                                           LinearRow{1024, 1, 256, 1024, 1}, LinearRow{1025, 1, 256, 1025, 2},
                                           LinearRow{1028, 1, 256, 1028, 2}, LinearRow{16, 1, 1, 16, 4},
                                           LinearRow{16, 2, 3, 32, 3}, LinearRow{kMiB, 64, 64, 64 * kMiB, 262144},
                                           LinearRow{kMiB, 256, 256, 256 * kMiB, 262144}));

struct GridRow {
  uint32_t width, height;
  std::array<uint32_t, 3> size;
  uint64_t x, y;
};

class Grid : public ::testing::TestWithParam<GridRow> {};

TEST_P(Grid, Workgroups) {
  const GridRow& row = GetParam();
  const std::vector<uint8_t> input(16);
  const auto params = words({row.width, row.height, 7});
  const auto plan =
      plan_call({input, params, OutputHint{}, DispatchGrid{}}, kernel(row.size, true), Limits{}, device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->workgroups, ElementsAre(row.x, row.y, 1));
  EXPECT_EQ(plan->output_bytes, 16u);
  EXPECT_EQ(plan->arguments[2].size, 16u);  // 12 bytes of params, bound as a std140 block
  EXPECT_EQ(plan->arguments[2].initial.size(), 12u);
}

INSTANTIATE_TEST_SUITE_P(Rows, Grid,
                         ::testing::Values(GridRow{1, 1, {16, 16, 1}, 1, 1}, GridRow{16, 16, {16, 16, 1}, 1, 1},
                                           GridRow{17, 33, {16, 16, 1}, 2, 3}, GridRow{640, 480, {8, 4, 2}, 80, 120},
                                           GridRow{0xffffffff, 1, {256, 1, 1}, 16777216, 1}));

// What is wrong, and the class that tells it.
struct RefusalRow {
  const char* name;
  ErrorClass error;
  const char* message;
  uint64_t input;
  std::variant<OutputHint, OutputBytes> output;
  std::optional<std::vector<uint8_t>> params;
  bool grid;
  wgsl::Reflection reflection;
};

wgsl::Reflection with(std::vector<wgsl::Binding> bindings) {
  wgsl::Reflection reflection = kernel();
  reflection.bindings = std::move(bindings);
  return reflection;
}

std::vector<RefusalRow> refusals() {
  using E = ErrorClass;
  const auto in = binding(0, BindingKind::StorageRead);
  const auto out = binding(1, BindingKind::StorageReadWrite);
  wgsl::Binding other_group = out;
  other_group.group = 1;
  const uint64_t huge = std::numeric_limits<uint64_t>::max();
  return {
      {"empty input", E::InvalidInput, "empty", 0, OutputHint{1}, {}, false, kernel()},
      {"hint 0", E::InvalidArgument, "hint is 0", 4, OutputHint{0}, {}, false, kernel()},
      {"hint huge", E::InvalidArgument, "hint", 4, OutputHint{huge}, {}, false, kernel()},
      {"hint over the cap", E::InvalidArgument, "hint", 4, OutputHint{268'435'457}, {}, false, kernel()},
      {"output over the cap", E::OutputTooLarge, "268435456", 4, OutputHint{268'435'456}, {}, false, kernel()},
      {"output of 0", E::InvalidArgument, "output size is 0", 4, OutputBytes{0}, {}, false, kernel()},
      {"exact output over the cap", E::OutputTooLarge, "268435457", 4, OutputBytes{268'435'457}, {}, false, kernel()},
      {"input over the cap", E::InputTooLarge, "limit", 268'435'457, OutputBytes{4}, {}, false, kernel()},
      {"odd params", E::InvalidParams, "u32 words", 4, OutputHint{1}, std::vector<uint8_t>(9), false, kernel()},
      {"long params", E::InvalidParams, "65536", 4, OutputHint{1}, std::vector<uint8_t>(65540), false, kernel()},
      {"short params", E::InvalidParams, "at least 8", 4, OutputHint{1}, words({1}), false, kernel({1, 1, 1}, true)},
      {"no params at all", E::InvalidBinding, "no params", 4, OutputHint{1}, {}, false, kernel({1, 1, 1}, true)},
      {"grid without params", E::InvalidParams, "width and height", 4, OutputHint{1}, {}, true, kernel()},
      {"grid with one word", E::InvalidParams, "width and height", 4, OutputHint{1}, words({1}), true, kernel()},
      {"grid of width 0", E::InvalidParams, "neither may be 0", 4, OutputHint{1}, words({0, 1}), true, kernel()},
      {"grid of height 0", E::InvalidParams, "neither may be 0", 4, OutputHint{1}, words({1, 0}), true, kernel()},
      {"no output", E::InvalidBinding, "binding 1", 4, OutputHint{1}, {}, false, with({in})},
      {"extra binding",
       E::InvalidBinding,
       "'v3' at group 0, binding 3",
       4,
       OutputHint{1},
       {},
       false,
       with({in, out, binding(3, BindingKind::StorageRead)})},
      {"wrong group", E::InvalidBinding, "group 1, binding 1", 4, OutputHint{1}, {}, false, with({in, other_group})},
      {"read-write input",
       E::InvalidBinding,
       "must be 'var<storage, read>'",
       4,
       OutputHint{1},
       {},
       false,
       with({binding(0, BindingKind::StorageReadWrite), out})},
      {"read-only output",
       E::InvalidBinding,
       "must be 'var<storage, read_write>'",
       4,
       OutputHint{1},
       {},
       false,
       with({in, binding(1, BindingKind::StorageRead)})},
      {"storage params", E::InvalidBinding, "must be 'var<uniform>'", 4, OutputHint{1}, words({1}), false,
       with({out, binding(2, BindingKind::StorageRead)})},
      {"short input",
       E::InvalidInput,
       "at least 16",
       5,
       OutputHint{1},
       {},
       false,
       with({binding(0, BindingKind::StorageRead, 16), out})},
      {"short output",
       E::InvalidInput,
       "at least 64",
       16,
       OutputHint{1},
       {},
       false,
       with({in, binding(1, BindingKind::StorageReadWrite, 64)})},
  };
}

TEST(Plan, Refusals) {
  for (const RefusalRow& row : refusals()) {
    SCOPED_TRACE(row.name);
    // Reserved, not touched: a span over it costs no memory.
    const std::vector<uint8_t> some(1);
    const std::span<const uint8_t> input(some.data(), row.input);
    Call call{input, {}, row.output, DispatchLinear{}};
    if (row.params) call.params = *row.params;
    if (row.grid) call.dispatch = DispatchGrid{};
    const auto plan = plan_call(call, row.reflection, Limits{}, device());
    if (plan) {
      ADD_FAILURE() << "accepted";
      continue;
    }
    EXPECT_EQ(name(plan.error().error_class), name(row.error));
    EXPECT_THAT(plan.error().message, HasSubstr(row.message));
  }
}

TEST(Plan, UnusedInputAndParamsAreFine) {
  const std::vector<uint8_t> input(4);
  const auto params = words({1, 1});
  const auto plan = plan_call({input, params, OutputHint{}, DispatchGrid{}},
                              with({binding(1, BindingKind::StorageReadWrite)}), Limits{}, device());
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->arguments.size(), 1u);
  EXPECT_EQ(plan->output_argument, 0u);
}

TEST(Plan, TellsTheDeviceWhatIsOnlyWritten) {
  const std::vector<uint8_t> input(4);
  wgsl::Reflection reflection = kernel();
  reflection.bindings[1].read = false;
  const auto plan = plan_call({input, {}, OutputHint{}, DispatchLinear{}}, reflection, Limits{}, device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(plan->arguments[0].only_written);
  EXPECT_TRUE(plan->arguments[1].only_written);
}

TEST(Plan, PaddingCountsForTheBindingsLeastSize) {
  const std::vector<uint8_t> input(1);
  const auto plan = plan_call({input, {}, OutputHint{}, DispatchLinear{}}, kernel(), Limits{}, device());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->arguments[0].size, 4u);
}

TEST(Plan, DeviceRangesBindBeforeTheCap) {
  vulkan::DeviceLimits small = device();
  small.max_storage_range = 128;
  const std::vector<uint8_t> input(129);
  const auto large_input = plan_call({input, {}, OutputBytes{4}, DispatchLinear{}}, kernel(), Limits{}, small);
  ASSERT_FALSE(large_input);
  EXPECT_EQ(large_input.error().error_class, ErrorClass::InputTooLarge);
  const auto large_output =
      plan_call({std::span(input).first(4), {}, OutputBytes{132}, DispatchLinear{}}, kernel(), Limits{}, small);
  ASSERT_FALSE(large_output);
  EXPECT_EQ(large_output.error().error_class, ErrorClass::OutputTooLarge);
}

TEST(Plan, WorkgroupsThatIdsCannotTell) {
  EXPECT_TRUE(check_workgroups({65536, 1, 1}, {65536, 1, 1}));
  EXPECT_FALSE(check_workgroups({65537, 1, 1}, {65536, 1, 1}));
  EXPECT_FALSE(check_workgroups({1, 1, uint64_t{1} << 32}, {1, 1, 1}));
  EXPECT_TRUE(check_workgroups({0, 1, 1}, {256, 1, 1}));
}

TEST(PlanBindings, MatchesByGroupAndBinding) {
  std::vector<uint8_t> in(6), out(8), unused(4);
  wgsl::Reflection reflection = with({binding(5, BindingKind::StorageRead), binding(7, BindingKind::StorageReadWrite)});
  reflection.bindings[1].group = 2;
  BindingJob job;
  job.bindings = {{2, 7, out}, {0, 9, unused}, {0, 5, in}};
  const auto arguments = plan_bindings(job, reflection, device());
  ASSERT_TRUE(arguments) << arguments.error().message;
  ASSERT_EQ(arguments->size(), 2u);
  EXPECT_EQ((*arguments)[0].initial.data(), in.data());
  EXPECT_EQ((*arguments)[0].size, 8u);
  EXPECT_TRUE((*arguments)[0].result.empty());
  EXPECT_EQ((*arguments)[1].result.data(), out.data());
}

TEST(PlanBindings, MissingAndShortAreRefused) {
  std::vector<uint8_t> bytes(4);
  BindingJob job;
  job.bindings = {{0, 0, bytes}};
  const auto missing = plan_bindings(job, kernel(), device());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().error_class, ErrorClass::InvalidBinding);
  EXPECT_THAT(missing.error().message, HasSubstr("'v1' at group 0, binding 1"));
  const auto brief = plan_bindings(job, with({binding(0, BindingKind::StorageRead, 8)}), device());
  ASSERT_FALSE(brief);
  EXPECT_THAT(brief.error().message, HasSubstr("at least 8"));
}

class Lender final : public Client {
 public:
  explicit Lender(bool lends) : lends_(lends) {}
  std::span<uint8_t> allocate_output(size_t bytes) override { return std::span(memory_).first(bytes); }
  std::shared_ptr<const void> lender() override {
    ++asked;
    return lends_ ? std::make_shared<int>(0) : nullptr;
  }
  const Pages* lend_output(size_t bytes, PageContent content) override {
    if (lent.size() == 2) return nullptr;
    contents.push_back(content);
    return lent.emplace_back(Pages::map(bytes)).get();
  }
  void done(Result<Report>) noexcept override {}

  int asked = 0;
  std::vector<std::shared_ptr<Pages>> lent;
  std::vector<PageContent> contents;

 private:
  bool lends_;
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(500);
};

vulkan::DeviceLimits lending_from(uint64_t inputs, uint64_t results, bool in_place) {
  vulkan::DeviceLimits limits;
  limits.least_lent_bytes = inputs;
  limits.least_lent_result_bytes = results;
  limits.binds_lent = in_place;
  return limits;
}

TEST(Lending, WhatIsLargeAndOnlyRead) {
  Lender client(true);
  Lending lending(client, lending_from(100, 100, true));
  const std::vector<uint8_t> bytes(200);
  const auto argument = [&](vulkan::BufferKind kind, size_t size) {
    vulkan::Argument made;
    made.kind = kind;
    made.size = size;
    made.initial = std::span(bytes).first(size);
    return made;
  };
  std::vector<vulkan::Argument> small{argument(vulkan::BufferKind::StorageRead, 96)};
  lending.lend_inputs(small);
  EXPECT_FALSE(small[0].lent);
  EXPECT_EQ(client.asked, 0);
  EXPECT_EQ(lending.lender(), nullptr);
  std::vector<vulkan::Argument> large{argument(vulkan::BufferKind::StorageRead, 100),
                                      argument(vulkan::BufferKind::StorageReadWrite, 200),
                                      argument(vulkan::BufferKind::Uniform, 200)};
  lending.lend_inputs(large);
  EXPECT_TRUE(large[0].lent);
  EXPECT_FALSE(large[1].lent);
  EXPECT_FALSE(large[2].lent);
  EXPECT_NE(lending.lender(), nullptr);
  for (const size_t nth : {0u, 1u, 2u}) {
    vulkan::Argument output = argument(vulkan::BufferKind::StorageReadWrite, 0);
    ASSERT_TRUE(lending.allocate_result(output, 150));
    EXPECT_EQ(output.result.size(), 150u);
    EXPECT_EQ(output.lent, nth < 2);
    EXPECT_EQ(output.pages, nth < 2 ? client.lent[nth].get() : nullptr);
    EXPECT_NE(output.result.data(), nullptr);
    EXPECT_TRUE(nth == 2 || output.result.data() == client.lent[nth]->data());
  }
  EXPECT_EQ(client.asked, 1);
  EXPECT_THAT(client.contents, testing::Each(PageContent::Zeros)) << "kernels may see it";
}

// A device that copies: its results are lent without being cleared, its inputs are not lent.
TEST(Lending, ResultsOfADeviceThatCopies) {
  Lender client(true);
  Lending lending(client, lending_from(~uint64_t{0}, 100, false));
  const std::vector<uint8_t> bytes(200);
  std::vector<vulkan::Argument> input(1);
  input[0].initial = bytes;
  lending.lend_inputs(input);
  EXPECT_FALSE(input[0].lent);
  vulkan::Argument output;
  ASSERT_TRUE(lending.allocate_result(output, 99));
  EXPECT_FALSE(output.lent);
  EXPECT_EQ(client.asked, 0);
  ASSERT_TRUE(lending.allocate_result(output, 100));
  EXPECT_TRUE(output.lent);
  EXPECT_THAT(client.contents, testing::ElementsAre(PageContent::Any));
}

TEST(Lending, NothingOfAClientThatLendsNothing) {
  Lender client(false);
  Lending lending(client, lending_from(100, 100, true));
  vulkan::Argument output;
  ASSERT_TRUE(lending.allocate_result(output, 150));
  ASSERT_TRUE(lending.allocate_result(output, 150));
  EXPECT_FALSE(output.lent);
  EXPECT_TRUE(client.lent.empty());
  EXPECT_EQ(client.asked, 1);
  EXPECT_EQ(lending.lender(), nullptr);
}

// What a buffer is read into: nothing of it is seen before it is overwritten, whatever the device.
TEST(Lending, MemoryForCopies) {
  Lender client(true);
  const auto limits = lending_from(100, 100, true);
  const auto large = Lending(client, limits).allocate_copy(150);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->size(), 150u);
  EXPECT_EQ(large->data(), client.lent.at(0)->data());
  EXPECT_THAT(client.contents, testing::ElementsAre(PageContent::Any));
  EXPECT_EQ(Lending(client, limits).allocate_copy(99)->size(), 99u);
  EXPECT_EQ(client.lent.size(), 1u);
}

}  // namespace
}  // namespace kem::core
