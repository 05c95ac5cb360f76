// Jobs that wait together go out in one command buffer, and each still gets its own bytes.
#include "vulkan/batch_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <latch>

#include "count_groups.spv.h"
#include "double_words.spv.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"

namespace kem::vulkan {
namespace {

using testing::ElementsAre;

// What the queue is given since the watch began, and the first submission held up until the test lets it go.
struct Watch {
  PFN_vkQueueSubmit submit = nullptr;
  std::atomic<bool> begun{false};
  std::latch entered{1}, released{1};
  std::vector<uint32_t> command_buffers;  // of each submission; one queue, so one thread at a time
};
Watch* watched = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL watched_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  Watch& watch = *watched;
  if (!watch.begun) return watch.submit(queue, count, infos, fence);
  watch.command_buffers.push_back(infos->commandBufferCount);
  if (watch.command_buffers.size() == 1) {
    watch.entered.count_down();
    watch.released.wait();
  }
  return watch.submit(queue, count, infos, fence);
}

struct Way {
  const char* name;
  AdjustContext adjust;
};

// In all of them the host writes the arguments where the kernels read them.
constexpr Way kWays[] = {
    {"SharedMemory", [](Context& context) { context.queues = 1; }},
    {"NearMemory",
     [](Context& context) {
       context.queues = 1;
       context.unified = false;
       context.near_memory = true;
     }},
};

class BatchCommandsTest : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.validation = true;
    static const AdjustContext* adjust = nullptr;
    adjust = &GetParam().adjust;
    watched = &watch_;
    auto device = DeviceImpl::open(options, [](Context& context) {
      (*adjust)(context);
      watched->submit = std::exchange(context.vk.vkQueueSubmit, watched_submit);
    });
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    double_ = make_pipeline(*device_, double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
    count_ = make_pipeline(*device_, count_groups_spv, {{0, 0, kOut}});
  }
  void TearDown() override {
    double_.reset();
    count_.reset();
    device_.reset();
    expect_empty(*log_);
  }

  // Starts `start_others` while the queue is kept by a job of its own.
  template <class Start>
  void while_the_queue_is_kept(Start start_others) {
    Words in{1}, out(1);
    const Argument arguments[] = {input(0, in), output(1, out)};
    Ending ending;
    watch_.begun = true;
    std::thread first([&] { EXPECT_TRUE(device_->start(*double_, arguments, groups(1), ending)); });
    watch_.entered.wait();
    start_others();
    watch_.released.count_down();
    first.join();
    EXPECT_TRUE(ending.wait());
    EXPECT_THAT(out, ElementsAre(2));
  }

  Watch watch_;
  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
  std::unique_ptr<Pipeline> double_, count_;
};

// Jobs of two pipelines and of many sizes; of the results some are copied behind the kernels and some are not.
TEST_P(BatchCommandsTest, ManyJobsAreOneCommandBuffer) {
  constexpr uint32_t kJobs = 40;
  std::vector<Words> in(kJobs), out(kJobs);
  std::vector<std::vector<Argument>> arguments(kJobs);
  std::deque<Ending> endings(kJobs);
  while_the_queue_is_kept([&] {
    for (uint32_t i = 0; i < kJobs; ++i) {
      out[i].assign(1 + i * 6, 99u);
      if (i % 3 == 0) {
        arguments[i] = {output(0, out[i])};
      } else {
        in[i].assign(1 + i * 6, i);
        arguments[i] = {input(0, in[i]), output(1, out[i])};
        arguments[i].back().only_written = i % 3 == 1;
      }
      const Pipeline& pipeline = i % 3 == 0 ? *count_ : *double_;
      const auto running = device_->start(pipeline, arguments[i], groups(i % 3 == 0 ? 1 + i * 6 : 5), endings[i]);
      ASSERT_TRUE(running && *running);
    }
  });
  for (uint32_t i = 0; i < kJobs; ++i) {
    const auto result = endings[i].wait();
    ASSERT_TRUE(result) << result.error().message;
    for (uint32_t k = 0; k < out[i].size(); ++k) ASSERT_EQ(out[i][k], i % 3 == 0 ? k + 1 : 2 * i) << i << " " << k;
  }
  EXPECT_THAT(watch_.command_buffers, ElementsAre(1, 1));
}

// More than a submission takes, so that a command buffer is recorded while the one before runs, and again when it has
// ended.
TEST_P(BatchCommandsTest, OneBehindTheOther) {
  constexpr uint32_t kJobs = 300;
  Words in(kJobs), out(kJobs);
  std::deque<Ending> endings(kJobs);
  std::vector<std::array<Argument, 2>> arguments(kJobs);
  while_the_queue_is_kept([&] {
    for (uint32_t i = 0; i < kJobs; ++i) {
      in[i] = i;
      arguments[i] = {Argument{0, 0, kIn, 4, bytes(in).subspan(i * 4, 4), {}},
                      Argument{0, 1, kOut, 4, {}, bytes(out).subspan(i * 4, 4)}};
      const auto running = device_->start(*double_, arguments[i], groups(1), endings[i]);
      ASSERT_TRUE(running && *running);
    }
  });
  for (uint32_t i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(endings[i].wait());
    EXPECT_EQ(out[i], 2 * i);
  }
  EXPECT_THAT(watch_.command_buffers, testing::Each(1u));
  EXPECT_EQ(watch_.command_buffers.size(), 6u);
}

// A chain keeps the order of its steps, and so a command buffer of its own.
TEST_P(BatchCommandsTest, ChainsStayByThemselves) {
  Words in{3}, between(1), out(1), alone_in{5}, alone_out(1), other_out(1);
  auto buffer = device_->make_buffer(4);
  ASSERT_TRUE(buffer) << buffer.error().message;
  Argument resident{0, 1, kOut, 4, {}, {}};
  resident.resident = buffer->get();
  Argument resident_in = resident;
  resident_in.binding = 0;
  resident_in.kind = kIn;
  const Argument first[] = {input(0, in), resident};
  const Argument second[] = {resident_in, output(1, out)};
  const Step steps[] = {{double_.get(), first, {1, 1, 1}}, {double_.get(), second, {1, 1, 1}}};
  const Argument alone[] = {input(0, alone_in), output(1, alone_out)};
  const Argument other[] = {input(0, alone_in), output(1, other_out)};
  Ending chain, one, two;
  while_the_queue_is_kept([&] {
    ASSERT_TRUE(device_->start(*double_, alone, groups(1), one));
    ASSERT_TRUE(device_->start(steps, {Clock::now() + std::chrono::minutes(1)}, chain));
    ASSERT_TRUE(device_->start(*double_, other, groups(1), two));
  });
  ASSERT_TRUE(chain.wait() && one.wait() && two.wait());
  EXPECT_THAT(out, ElementsAre(12));
  EXPECT_THAT(alone_out, ElementsAre(10));
  EXPECT_THAT(other_out, ElementsAre(10));
  EXPECT_EQ(watch_.command_buffers.back(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Ways, BatchCommandsTest, testing::ValuesIn(kWays),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace kem::vulkan
