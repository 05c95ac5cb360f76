// Which of a device's queues a call takes, on a device that is told that it has several: all of them are its one queue.
#include "vulkan/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "vulkan/queues_testing.h"

namespace kem::vulkan {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;

template <uint32_t Count>
void pretend(Context& context) {
  QueueStandIns::install(context, Count, 0);
  context.unified = false;
  context.near_memory = true;
}

class LanesTest : public QueuesTest {
 protected:
  // The queues that calls from many threads take, one after the other, if the kernel is known to be short.
  std::set<uint32_t> used_for(size_t words) {
    QueueStandIns::used();
    for (uint32_t i = 0; i < 16; ++i) {
      set_cost(std::chrono::nanoseconds(1));
      std::thread([&, i] {
        const Words in(words, i);
        Words out(words);
        const Argument arguments[] = {input(0, in), output(1, out)};
        EXPECT_TRUE(device_->run(*double_, arguments, groups(words / 64 + 1)));
        EXPECT_EQ(out, Words(words, 2 * i));
      }).join();
    }
    return QueueStandIns::used();
  }
  // What a workgroup took in the last call.
  void set_cost(std::chrono::nanoseconds cost) {
    dynamic_cast<const PipelineHandle&>(*double_).state()->pace.set_latest(1, cost);
  }
};

constexpr size_t kFew = 4;
constexpr size_t kMany = 1u << 20;  // 4 MiB each way

TEST_F(LanesTest, LongCallsHaveQueuesOfTheirOwn) {
  open(pretend<4>);
  EXPECT_THAT(used_for(kFew), AllOf(Not(IsEmpty()), Each(Lt(2u))));
  EXPECT_THAT(used_for(kMany), AllOf(Not(IsEmpty()), Each(AllOf(Ge(2u), Lt(4u)))));
}

// What a kernel took when it last ran counts as well as bytes do.
TEST_F(LanesTest, LongKernelsAreLongCalls) {
  open(pretend<3>);
  Words in(kFew, 3), out(kFew);
  const Argument arguments[] = {input(0, in), output(1, out)};
  const auto queue_of_a_call_after = [&](std::chrono::nanoseconds cost) {
    set_cost(cost);
    QueueStandIns::used();
    EXPECT_TRUE(device_->run(*double_, arguments, groups(1)));
    const auto used = QueueStandIns::used();
    EXPECT_EQ(used.size(), 1u);
    return *used.begin();
  };
  EXPECT_LT(queue_of_a_call_after(std::chrono::microseconds(900)), 2u);
  EXPECT_EQ(queue_of_a_call_after(std::chrono::microseconds(1100)), 2u);
}

TEST_F(LanesTest, CopiesOfBuffersAreLongCalls) {
  open(pretend<3>);
  auto buffer = device_->make_buffer(kMany * 4);
  ASSERT_TRUE(buffer) << buffer.error().message;
  const Words in(kMany, 7);
  Words out(kMany);
  QueueStandIns::used();
  ASSERT_TRUE(device_->write(**buffer, 0, bytes(in)));
  ASSERT_TRUE(device_->read(**buffer, 0, bytes(out)));
  EXPECT_EQ(in, out);
  EXPECT_EQ(QueueStandIns::used(), std::set<uint32_t>{2});
  ASSERT_TRUE(device_->read(**buffer, 0, bytes(out).first(16)));
  EXPECT_THAT(QueueStandIns::used(), Each(Lt(2u)));
}

TEST_F(LanesTest, FewQueuesAreEverybodys) {
  open(pretend<2>);
  EXPECT_THAT(used_for(kFew), AllOf(Not(IsEmpty()), Each(Lt(2u))));
  EXPECT_THAT(used_for(kMany), AllOf(Not(IsEmpty()), Each(Lt(2u))));
}

}  // namespace
}  // namespace kem::vulkan
