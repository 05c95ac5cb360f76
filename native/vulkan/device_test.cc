// The executor on a real driver, under the validation layer: any message fails the test. The driver is the
// loader's choice (VK_DRIVER_FILES).
#include "vulkan/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <future>
#include <numeric>
#include <thread>

#include "add_params.spv.h"
#include "count_groups.spv.h"
#include "double_words.spv.h"
#include "spin.spv.h"
#include "two_groups.spv.h"
#include "vulkan/device_testing.h"
#include "vulkan/queues_testing.h"
#include "vulkan/twin_device.h"
#include "write_lengths.spv.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// Every way of moving bytes runs on every driver: as the device asks for, by copies, and by copies except for small
// buffers. The last two are what devices with memory of their own get.
struct Transfer {
  const char* name;
  AdjustContext adjust;
};
const Transfer kTransfers[] = {
    {"AsFound", [](Context&) {}},
    {"Staged",
     [](Context& context) {
       context.unified = false;
       context.near_memory = false;
       context.spin = 20us;
     }},
    {"StagedInPieces",
     [](Context& context) {
       context.unified = false;
       context.near_memory = false;
       context.piece_bytes = 4096;
     }},
    {"CopiedApart",
     [](Context& context) {
       QueueStandIns::install(context, 4, 2);
       context.unified = false;
       context.near_memory = false;
       context.piece_bytes = 4096;
       context.least_apart = 64;
     }},
    {"AsFoundWithFences", [](Context& context) { context.timeline = false; }},
    {"StagedButNear",
     [](Context& context) {
       context.unified = false;
       context.near_memory = true;
     }},
};

class DeviceTest : public testing::TestWithParam<Transfer> {
 protected:
  void SetUp() override { open(GetParam().adjust); }

  void open(AdjustContext adjust, uint64_t retained_bytes = DeviceOptions().retained_bytes) {
    if (device_ != nullptr) close();
    DeviceOptions options;
    options.validation = true;
    options.retained_bytes = retained_bytes;
    auto device = DeviceImpl::open(options, adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    ASSERT_TRUE(device_->validating()) << "VK_LAYER_KHRONOS_validation is not installed";
    log_ = device_->shared_validation_log();
  }

  // The device's end may be what the layer complains about.
  void close() {
    device_.reset();
    expect_empty(*log_);
  }

  void TearDown() override {
    if (device_ != nullptr) close();
  }

  std::unique_ptr<Pipeline> pipeline(std::span<const uint32_t> spirv, std::vector<LayoutBinding> bindings) {
    return make_pipeline(*device_, spirv, std::move(bindings));
  }
  std::unique_ptr<Pipeline> double_words() { return pipeline(double_words_spv, {{0, 0, kIn}, {0, 1, kOut}}); }

  static void set_cost(const Pipeline& pipeline, std::chrono::nanoseconds workgroup) {
    dynamic_cast<const PipelineHandle&>(pipeline).state()->pace.set_latest(1, workgroup);
  }

  // Runs and expects success.
  RunTimes run(const Pipeline& pipeline, std::vector<Argument> arguments, const Dispatch& dispatch) {
    auto times = device_->run(pipeline, arguments, dispatch);
    EXPECT_TRUE(times) << times.error().message;
    return times.value_or(RunTimes{});
  }
  // Runs and expects an error; Internal stands for success.
  Error run_error(const Pipeline& pipeline, std::vector<Argument> arguments, const Dispatch& dispatch) {
    auto times = device_->run(pipeline, arguments, dispatch);
    EXPECT_FALSE(times);
    return times ? Error{} : times.error();
  }

  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
};

TEST_P(DeviceTest, TellsWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_EQ(info.uuid.size(), 32u);
  EXPECT_GE(info.api_version, kApiVersion);
  const DeviceLimits& limits = device_->limits();
  EXPECT_GE(limits.max_storage_range, 1u << 27);
  EXPECT_THAT(limits.max_workgroup_count, Each(testing::Ge(65535u)));
  EXPECT_GE(limits.max_shared_bytes, 16384u);
  const auto all = enumerate();
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_LT(info.index, all->size());
  EXPECT_EQ((*all)[info.index].name, info.name);
}

TEST_P(DeviceTest, DoublesSixteenBytes) {
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const RunTimes times = run(*kernel, {input(0, in), output(1, out)}, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
  EXPECT_GT(times.execute.count(), 0);
  // The same call again, and again with other bytes: the recorded commands run.
  for (uint32_t round = 0; round < 5; ++round) {
    const Words other{round, 1, 2, 3};
    run(*kernel, {input(0, other), output(1, out)}, groups(1));
    EXPECT_THAT(out, ElementsAre(2 * round, 2, 4, 6));
  }
}

TEST_P(DeviceTest, AlternatingKernelsAndSizes) {
  const auto first = double_words();
  const auto second = pipeline(add_params_spv, {{0, 0, kIn}, {0, 1, kOut}, {0, 2, BufferKind::Uniform}});
  const Words params{10, 20, 30, 40};
  for (uint32_t size : {4u, 100u, 4u, 5000u, 70000u, 4u}) {
    Words in(size), out(size), expected(size);
    std::iota(in.begin(), in.end(), 1u);
    run(*first, {output(1, out), input(0, in)}, groups((size + 63) / 64));
    for (uint32_t i = 0; i < size; ++i) expected[i] = 2 * in[i];
    EXPECT_EQ(out, expected);
    run(*second, {input(0, in), output(1, out), input(2, params, BufferKind::Uniform)}, groups((size + 63) / 64));
    for (uint32_t i = 0; i < size; ++i) expected[i] = in[i] + params[i % 4];
    EXPECT_EQ(out, expected);
  }
}

TEST_P(DeviceTest, WhatInitialDoesNotCoverIsZero) {
  const auto kernel = pipeline(write_lengths_spv, {{0, 0, kOut}});
  Words dirt(1000, ~0u);
  const Argument dirty{0, 0, kOut, 4000, bytes(std::as_const(dirt)), {}};
  Words out(1000, 77u);
  const Argument clean{0, 0, kOut, 4000, {}, bytes(out)};
  // The second call gets the first one's memory.
  run(*kernel, {dirty}, groups(1));
  run(*kernel, {clean}, groups(1));
  EXPECT_EQ(out[0], 1000u);
  EXPECT_EQ(out[1], 0u);
  EXPECT_EQ(Words(out.begin() + 2, out.end()), Words(998, 0u));
  // An initial part that ends within a word, on memory that is dirty again.
  run(*kernel, {dirty}, groups(1));
  const std::vector<uint8_t> some{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  run(*kernel, {{0, 0, kOut, 4000, some, bytes(out)}}, groups(1));
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(out[2], 0x030201u);
}

TEST_P(DeviceTest, ResultMayBeShorterThanTheBuffer) {
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  std::vector<uint8_t> out(7, 0xee);
  run(*kernel, {input(0, in), {0, 1, kOut, 16, {}, std::span(out).first(6)}}, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 0, 0, 0, 6, 0, 0xee));
  // Nothing wanted back.
  run(*kernel, {input(0, in), {0, 1, kOut, 16, {}, {}}}, groups(1));
}

TEST_P(DeviceTest, LengthsAreThoseBound) {
  const auto kernel = pipeline(write_lengths_spv, {{0, 0, kOut}});
  for (const size_t size : {2u, 3u, 17u, 1001u}) {
    Words out(size);
    run(*kernel, {output(0, out)}, groups(1));
    EXPECT_EQ(out[0], size);
  }
}

TEST_P(DeviceTest, MoreGroupsThanOneDispatchTakes) {
  const auto kernel = pipeline(count_groups_spv, {{0, 0, kOut}});
  const uint64_t limit = device_->limits().max_workgroup_count[0];
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(2 * limit + 5, 200'000));
  for (const std::array<uint64_t, 3> grid : {std::array<uint64_t, 3>{count, 1, 1}, {1, count, 1}, {3, 2, 1000}}) {
    Words out(grid[0] * grid[1] * grid[2] + 1);
    run(*kernel, {output(0, out)}, groups(grid[0], grid[1], grid[2]));
    Words expected(out.size());
    std::iota(expected.begin(), expected.end() - 1, 1u);
    EXPECT_EQ(out, expected);
  }
}

TEST_P(DeviceTest, NoGroupsLeaveInitialAndZeros) {
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  const Words before{9};
  for (const auto& dispatch : {groups(0), groups(1, 0), groups(5, 1, 0)}) {
    Words out(3, 77u);
    run(*kernel, {input(0, in), {0, 1, kOut, 16, bytes(before), bytes(out)}}, dispatch);
    EXPECT_THAT(out, ElementsAre(9, 0, 0));
  }
}

TEST_P(DeviceTest, SparseGroupsAndSpecializationConstants) {
  const std::vector<LayoutBinding> bindings{{2, 1, kOut}, {0, 5, kIn}};
  const PipelineDescription::Specialization factor{3, 100};
  auto kernel = device_->make_pipeline({two_groups_spv, bindings, 0, {&factor, 1}});
  ASSERT_TRUE(kernel) << kernel.error().message;
  const Words in{1, 2, 3};
  Words out(3);
  const std::vector<Argument> arguments{{0, 5, kIn, 12, bytes(in), {}}, {2, 1, kOut, 12, {}, bytes(out)}};
  run(**kernel, arguments, groups(3));
  EXPECT_THAT(out, ElementsAre(100, 200, 300));
  // Without push constants a dispatch can't be split.
  const uint64_t over = uint64_t{device_->limits().max_workgroup_count[0]} + 1;
  EXPECT_EQ(run_error(**kernel, arguments, groups(over)).error_class, ErrorClass::InvalidArgument);
}

TEST_P(DeviceTest, ThreadsAtOnce) {
  const auto kernel = double_words();
  std::array<int, 8> wrong{};
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        for (uint32_t round = 0; round < 40; ++round) {
          Words in(100 + 300 * (round % 3), static_cast<uint32_t>(t * 1000 + round));
          Words out(in.size());
          const std::vector<Argument> arguments{input(0, in), output(1, out)};
          if (!device_->run(*kernel, arguments, groups(16)) || out != Words(in.size(), 2 * in[0])) ++wrong[t];
        }
      });
  }
  EXPECT_THAT(wrong, Each(0));
}

TEST_P(DeviceTest, PipelinesFromThreads) {
  std::array<int, 4> wrong{};
  {
    std::vector<std::jthread> threads;
    threads.reserve(wrong.size());
    for (int& count : wrong)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) {
          const auto kernel = double_words();
          const Words in{1, 3, 5, 7};
          Words out(4);
          const std::vector<Argument> arguments{input(0, in), output(1, out)};
          if (!device_->run(*kernel, arguments, groups(1)) || out != Words{2, 6, 10, 14}) ++count;
        }
      });
  }
  EXPECT_THAT(wrong, Each(0));
}

// A completion for tests that start and do not wait.
TEST_P(DeviceTest, JobsThatAreStartedWithoutWaitingAllEnd) {
  constexpr size_t kJobs = 300;  // more than a batch holds
  const auto kernel = double_words();
  std::vector<Words> in(kJobs), out(kJobs, Words(4));
  std::vector<std::vector<Argument>> arguments(kJobs);
  std::deque<Ending> endings(kJobs);
  for (uint32_t i = 0; i < kJobs; ++i) {
    in[i] = {i, i + 1, i + 2, i + 3};
    arguments[i] = {input(0, in[i]), output(1, out[i])};
    const auto running = device_->start(*kernel, arguments[i], groups(1), endings[i]);
    ASSERT_TRUE(running && *running);
  }
  for (uint32_t i = 0; i < kJobs; ++i) {
    const auto result = endings[i].wait();
    EXPECT_TRUE(result) << result.error().message;
    EXPECT_THAT(out[i], ElementsAre(2 * i, 2 * i + 2, 2 * i + 4, 2 * i + 6));
  }
  Dispatch again = groups(1);
  again.prepared_only = true;
  Ending ending;
  const auto running = device_->start(*kernel, arguments[0], again, ending);
  ASSERT_TRUE(running && *running);
  EXPECT_TRUE(ending.wait());
}

TEST_P(DeviceTest, APatientStartOfAShortJobTellsItsEndItself) {
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const std::vector<Argument> arguments{input(0, in), output(1, out)};
  Dispatch patient = groups(1);
  patient.patience = 20s;
  Ending unknown, known, impatient;
  ASSERT_TRUE(device_->start(*kernel, arguments, patient, unknown));
  ASSERT_TRUE(unknown.wait());
  EXPECT_FALSE(unknown.told_here());
  ASSERT_GT(device_->cost(*kernel), 0ns);

  std::fill(out.begin(), out.end(), 0);
  ASSERT_TRUE(device_->start(*kernel, arguments, patient, known));
  EXPECT_TRUE(known.told_here());
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
  ASSERT_TRUE(known.wait());

  ASSERT_TRUE(device_->start(*kernel, arguments, groups(1), impatient));
  ASSERT_TRUE(impatient.wait());
  EXPECT_FALSE(impatient.told_here());
}

TEST_P(DeviceTest, PatienceEndsAndTheJobGoesOn) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words spun(4), out(4);
  const std::vector<Argument> spinning{output(0, spun)}, doubling{input(0, in), output(1, out)};
  run(*spin, spinning, groups(8));
  // As if each workgroup had taken a thousandth of that.
  Dispatch patient = groups(256);
  patient.patience = device_->cost(*spin);
  set_cost(*spin, 1ns);
  Ending long_one, behind;
  ASSERT_TRUE(device_->start(*spin, spinning, patient, long_one));
  ASSERT_TRUE(device_->start(*kernel, doubling, patient, behind));
  ASSERT_TRUE(long_one.wait());
  ASSERT_TRUE(behind.wait());
  EXPECT_FALSE(long_one.told_here());
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
}

TEST_P(DeviceTest, PatientThreadsAtOnce) {
  const auto kernel = double_words();
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (uint32_t t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 300; ++i) {
        const Words in{t, i, t + i, 7};
        Words out(4);
        const std::vector<Argument> arguments{input(0, in), output(1, out)};
        Dispatch dispatch = groups(1);
        dispatch.patience = std::chrono::microseconds(i % 3 * 100);
        Ending ending;
        const auto running = device_->start(*kernel, arguments, dispatch, ending);
        if (running && *running && ending.wait() && out == Words{2 * t, 2 * i, 2 * (t + i), 14}) ++right;
      }
    });
  threads.clear();
  EXPECT_EQ(right, 1800);
}

TEST_P(DeviceTest, LargeBytesComeAndGoWithAndWithoutEscort) {
  const auto kernel = double_words();
  for (const size_t words : {2048u, 100'001u, 2047u, 100'001u, 100'001u}) {
    Words in(words), out(words + 3);
    std::iota(in.begin(), in.end(), 1u);
    // Not all of it: sizes that are no multiple of 4, or of a piece.
    Argument from = input(0, in), to = output(1, out);
    from.initial = from.initial.first(words * 4 - 3);
    to.result = to.result.first(words * 4 - 1);
    to.size = words * 4;
    const std::vector<Argument> arguments{from, to};
    Dispatch dispatch = groups((words + 63) / 64);
    for (const bool escort : {false, true}) {
      std::fill(out.begin(), out.end(), 0x09090909u);
      dispatch.escort = escort;
      Ending ending;
      const auto running = device_->start(*kernel, arguments, dispatch, ending);
      ASSERT_TRUE(running && *running);
      const auto result = ending.wait();
      ASSERT_TRUE(result) << result.error().message;
      for (size_t i = 0; i + 1 < words; ++i) ASSERT_EQ(out[i], 2 * (i + 1)) << i;
      EXPECT_EQ(out[words - 1], (2 * (words & 0xff)) | 9u << 24);  // one byte of input, three of output
      EXPECT_EQ(out[words], 0x09090909u);
    }
  }
}

// An escort that turns out long keeps nobody from running, and ends.
TEST_P(DeviceTest, WhatComesDuringAnEscortDoesNotWaitForIt) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  const auto kernel = double_words();
  Words spun(8192), out(4);
  const std::vector<Argument> spinning{output(0, spun)};
  run(*spin, spinning, groups(8));
  set_cost(*spin, 1ns);
  Dispatch long_one = groups(256);
  long_one.escort = true;
  Ending ending;
  std::jthread escort([&] { ASSERT_TRUE(device_->start(*spin, spinning, long_one, ending)); });
  for (uint32_t i = 0; i < 20; ++i) {
    const Words in{i, 3, 5, 7};
    run(*kernel, {input(0, in), output(1, out)}, groups(1));
    EXPECT_THAT(out, ElementsAre(2 * i, 6, 10, 14));
  }
  escort.join();
  ASSERT_TRUE(ending.wait());
}

TEST_P(DeviceTest, EscortedJobsOfSeveralThreads) {
  const auto kernel = double_words();
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < 20; ++i) {
        const Words in(5000 + 1000 * t, i + t);
        Words out(in.size());
        Dispatch dispatch = groups((in.size() + 63) / 64);
        dispatch.escort = true;
        Ending ending;
        const std::vector<Argument> arguments{input(0, in), output(1, out)};
        const auto running = device_->start(*kernel, arguments, dispatch, ending);
        if (running && *running && ending.wait() && out == Words(in.size(), 2 * (i + t))) ++right;
      }
    });
  threads.clear();
  EXPECT_EQ(right, 80);
}

TEST_P(DeviceTest, AJobThatWaitsBehindLongOnesEndsAtItsDeadline) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  const auto kernel = double_words();
  std::atomic<bool> cancelled{false};
  const Dispatch forever{{10'000'000, 1, 1}, Clock::now() + 600s, &cancelled};
  std::vector<Words> outs(6, Words(4));
  std::deque<std::vector<Argument>> arguments;
  std::deque<Ending> endings(6);
  for (size_t i = 0; i < outs.size(); ++i) {
    arguments.push_back({output(0, outs[i])});
    ASSERT_TRUE(device_->start(*spin, arguments.back(), forever, endings[i]));
  }
  const Words in{1, 3, 5, 7};
  Words out(4);
  const Dispatch brief{{1, 1, 1}, Clock::now() + 1ms, nullptr};
  EXPECT_EQ(run_error(*kernel, {input(0, in), output(1, out)}, brief).error_class, ErrorClass::Timeout);
  cancelled = true;
  for (Ending& ending : endings) EXPECT_EQ(ending.wait().error().error_class, ErrorClass::Cancelled);
  run(*kernel, {input(0, in), output(1, out)}, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
}

TEST_P(DeviceTest, DeadlineEndsALongJobAndTheNextOneRuns) {
  const auto kernel = double_words();
  Words out(4);
  {
    const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
    const Dispatch dispatch{{10'000'000, 1, 1}, Clock::now() + 100ms, nullptr};
    const Error error = run_error(*spin, {output(0, out)}, dispatch);
    EXPECT_EQ(error.error_class, ErrorClass::Timeout) << error.message;
  }  // the pipeline goes while its abandoned slice may still run
  const Words in{1, 3, 5, 7};
  run(*kernel, {input(0, in), output(1, out)}, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
  EXPECT_EQ(run_error(*kernel, {input(0, in), output(1, out)}, {{1, 1, 1}, Clock::now(), nullptr}).error_class,
            ErrorClass::Timeout);
}

TEST_P(DeviceTest, CancellationEndsALongJobAndTheNextOneRuns) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  const auto kernel = double_words();
  std::atomic<bool> cancelled{false};
  Words out(4);
  std::jthread canceller([&] {
    std::this_thread::sleep_for(50ms);
    cancelled = true;
  });
  const Error error = run_error(*spin, {output(0, out)}, {{10'000'000, 1, 1}, Clock::now() + 600s, &cancelled});
  EXPECT_EQ(error.error_class, ErrorClass::Cancelled) << error.message;
  const Words in{1, 3, 5, 7};
  run(*kernel, {input(0, in), output(1, out)}, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
  EXPECT_EQ(run_error(*kernel, {input(0, in), output(1, out)}, {{1, 1, 1}, Clock::now() + 60s, &cancelled}).error_class,
            ErrorClass::Cancelled);
}

TEST_P(DeviceTest, AbandonedSlotsComeBack) {
  const auto spin = pipeline(spin_spv, {{0, 0, kOut}});
  Words out(4);
  for (int i = 0; i < 3; ++i) {
    const Dispatch dispatch{{10'000'000, 1, 1}, Clock::now() + 1ms, nullptr};
    EXPECT_EQ(run_error(*spin, {output(0, out)}, dispatch).error_class, ErrorClass::Timeout);
  }
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  // The queue runs in order, so after this nothing of the abandoned jobs is left.
  run(*kernel, {input(0, in), output(1, out)}, groups(1));
  run(*kernel, {input(0, in), output(1, out)}, groups(1));
  EXPECT_EQ(device_->abandoned_jobs(), 0u);
}

TEST_P(DeviceTest, RefusesArgumentsThatAreNotTheKernels) {
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const auto error = [&](const std::vector<Argument>& arguments) { return run_error(*kernel, arguments, groups(1)); };
  EXPECT_EQ(error({input(0, in)}).error_class, ErrorClass::InvalidBinding);
  EXPECT_EQ(error({input(0, in), output(2, out)}).error_class, ErrorClass::InvalidBinding);
  EXPECT_EQ(error({input(0, in), output(1, out), output(1, out)}).error_class, ErrorClass::InvalidBinding);
  EXPECT_EQ(error({output(0, out), output(1, out)}).error_class, ErrorClass::InvalidBinding);
  EXPECT_EQ(error({input(0, {}), output(1, out)}).error_class, ErrorClass::InvalidBinding);
  EXPECT_EQ(error({input(0, in), {0, 1, kOut, 6, {}, {}}}).error_class, ErrorClass::InvalidArgument);
  EXPECT_EQ(error({input(0, in), {0, 1, kOut, 12, {}, bytes(out)}}).error_class, ErrorClass::InvalidArgument);
  EXPECT_EQ(error({input(0, in), {0, 1, kOut, 12, bytes(in), {}}}).error_class, ErrorClass::InvalidArgument);
}

TEST_P(DeviceTest, RefusesRangesOverTheDevices) {
  const auto kernel = pipeline(add_params_spv, {{0, 0, kIn}, {0, 1, kOut}, {0, 2, BufferKind::Uniform}});
  const Words in{1, 3, 5, 7};
  const uint64_t storage = device_->limits().max_storage_range / 4 * 4 + 4;
  const uint64_t uniform = device_->limits().max_uniform_range / 4 * 4 + 4;
  const Argument small_in = input(0, in);
  const Argument small_out{0, 1, kOut, 16, {}, {}};
  const Argument params = input(2, in, BufferKind::Uniform);
  const Error too_much_in = run_error(*kernel, {{0, 0, kIn, storage, {}, {}}, small_out, params}, groups(1));
  EXPECT_EQ(too_much_in.error_class, ErrorClass::InputTooLarge);
  EXPECT_THAT(too_much_in.message, HasSubstr(std::to_string(storage) + " bytes"));
  EXPECT_EQ(run_error(*kernel, {small_in, {0, 1, kOut, storage, {}, {}}, params}, groups(1)).error_class,
            ErrorClass::OutputTooLarge);
  EXPECT_EQ(
      run_error(*kernel, {small_in, small_out, {0, 2, BufferKind::Uniform, uniform, {}, {}}}, groups(1)).error_class,
      ErrorClass::InputTooLarge);
  EXPECT_EQ(run_error(*kernel, {small_in, small_out, params}, groups(uint64_t{1} << 32)).error_class,
            ErrorClass::InvalidArgument);
}

TEST_P(DeviceTest, RefusesPipelinesThatItCannotBind) {
  const auto error = [&](std::vector<LayoutBinding> bindings, uint32_t push_constants) {
    auto made = device_->make_pipeline({double_words_spv, bindings, push_constants, {}});
    EXPECT_FALSE(made);
    return made ? ErrorClass::Internal : made.error().error_class;
  };
  EXPECT_EQ(error({{0, 0, kIn}, {0, 0, kOut}}, 32), ErrorClass::InvalidArgument);
  EXPECT_EQ(error({{0, 0, kIn}, {0, 1, kOut}}, 16), ErrorClass::InvalidArgument);
  EXPECT_EQ(error({{1000, 0, kIn}}, 32), ErrorClass::UnsupportedKernel);
  if (device_->limits().max_storage_buffers >= 100'000) {
    std::printf("a device without a limit of storage buffers: their count is not tested\n");
    return;
  }
  std::vector<LayoutBinding> many;
  for (uint32_t i = 0; i <= device_->limits().max_storage_buffers; ++i) many.push_back({0, i, kIn});
  EXPECT_EQ(error(many, 32), ErrorClass::UnsupportedKernel);
}

TEST_P(DeviceTest, RefusesAnotherDevicesPipeline) {
  DeviceOptions options;
  auto other = Device::open(options);
  ASSERT_TRUE(other) << other.error().message;
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const std::vector<Argument> arguments{input(0, in), output(1, out)};
  const auto times = (*other)->run(*kernel, arguments, groups(1));
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().error_class, ErrorClass::InvalidArgument);
}

TEST_P(DeviceTest, LargeBuffersAreKeptWithinBounds) {
  open(GetParam().adjust, 1u << 20);
  const auto kernel = double_words();
  for (const size_t size : {1u << 20, 4u, 1u << 20, 1u << 10}) {
    Words in(size, 21u), out(size);
    run(*kernel, {input(0, in), output(1, out)}, groups(size / 64 + 1));
    EXPECT_EQ(out, Words(size, 42u));
  }
}

TEST_P(DeviceTest, MeasuresAnEmptySubmit) {
  const auto time = device_->measure_empty_submit(20);
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_GT(time->count(), 0);
  EXPECT_FALSE(device_->measure_empty_submit(0));
}

// Drivers that fail.

std::atomic<int> failures_left{0};
PFN_vkAllocateMemory real_allocate = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL lose_device(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL fail_some_allocations(VkDevice device, const VkMemoryAllocateInfo* info,
                                                     const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (failures_left.fetch_sub(1) > 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  return real_allocate(device, info, callbacks, memory);
}

TEST_P(DeviceTest, ALostDeviceStaysLost) {
  open([](Context& context) { context.vk.vkQueueSubmit = lose_device; });
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const std::vector<Argument> arguments{input(0, in), output(1, out)};
  EXPECT_EQ(run_error(*kernel, arguments, groups(1)).error_class, ErrorClass::DeviceLost);
  EXPECT_EQ(run_error(*kernel, arguments, groups(0)).error_class, ErrorClass::DeviceLost);
  const auto made = device_->make_pipeline({double_words_spv, {}, 32, {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().error_class, ErrorClass::DeviceLost);
  EXPECT_FALSE(device_->measure_empty_submit(1));
}

TEST_P(DeviceTest, MemoryMayRunOut) {
  open([](Context& context) {
    real_allocate = context.vk.vkAllocateMemory;
    context.vk.vkAllocateMemory = fail_some_allocations;
  });
  const auto kernel = double_words();
  const Words in{1, 3, 5, 7};
  Words out(4);
  const std::vector<Argument> arguments{input(0, in), output(1, out)};
  failures_left = 100;
  EXPECT_EQ(run_error(*kernel, arguments, groups(1)).error_class, ErrorClass::OutOfMemory);
  failures_left = 1;  // the second attempt, with nothing kept, succeeds
  run(*kernel, arguments, groups(1));
  EXPECT_THAT(out, ElementsAre(2, 6, 10, 14));
}

VKAPI_ATTR void VKAPI_CALL tell_budget(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* properties) {
  auto& budget = *static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(properties->pNext);
  for (size_t heap = 0; heap < VK_MAX_MEMORY_HEAPS; ++heap) {
    budget.heapUsage[heap] = 3u << heap;
    budget.heapBudget[heap] = 1000u << heap;
  }
}

// Heap 1 is the host's.
TEST_P(DeviceTest, TellsWhatTheDriverSaysOfItsMemory) {
  open([](Context& context) {
    context.memory_budget = tell_budget;
    context.memory.memoryHeapCount = 3;
    context.memory.memoryHeaps[0].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    context.memory.memoryHeaps[1].flags = 0;
    context.memory.memoryHeaps[2].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
  });
  EXPECT_EQ(device_->memory().used, 3u + 12u);
  EXPECT_EQ(device_->memory().budget, 5000u);
  open([](Context& context) { context.memory_budget = nullptr; });
  EXPECT_EQ(device_->memory().used, 0u);
  EXPECT_EQ(device_->memory().budget, 0u);
}

INSTANTIATE_TEST_SUITE_P(Transfers, DeviceTest, testing::ValuesIn(kTransfers),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kem::vulkan
