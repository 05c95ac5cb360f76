// Large copies have queues of their own. What comes of them is tested with every other way (device_test.cc,
// steps_test.cc, delivery_test.cc).
#include "vulkan/copy_queues.h"

#include <gtest/gtest.h>

#include <numeric>

#include "vulkan/queues_testing.h"

namespace kem::vulkan {
namespace {

using Numbers = std::set<uint32_t>;

class CopyQueuesTest : public QueuesTest {
 protected:
  // The queues that a call takes with so many words in and out.
  Numbers used_for(size_t words_in, size_t words_out) {
    Words in(words_in), out(words_out), expected(words_out);
    std::iota(in.begin(), in.end(), 1u);
    for (size_t i = 0; i < std::min(words_in, words_out); ++i) expected[i] = 2 * in[i];
    const Argument arguments[] = {input(0, in), output(1, out)};
    QueueStandIns::used();
    EXPECT_TRUE(device_->run(*double_, arguments, groups(words_out / 64 + 1)));
    EXPECT_EQ(out, expected);
    return QueueStandIns::used();
  }
};

// One queue that computes.
template <uint32_t Copies>
void pretend(Context& context) {
  QueueStandIns::install(context, 1, Copies);
  context.unified = false;
  context.near_memory = false;
}

constexpr uint32_t kUp = 0, kDown = 1, kComputes = 2;
constexpr size_t kLarge = 1u << 19;  // words: 2 MiB

TEST_F(CopyQueuesTest, OneEachWay) {
  open(pretend<2>);
  EXPECT_EQ(used_for(kLarge, kLarge), (Numbers{kUp, kDown, kComputes}));
  EXPECT_EQ(used_for(kLarge, 16), (Numbers{kUp, kComputes}));
  EXPECT_EQ(used_for(16, kLarge), (Numbers{kDown, kComputes}));
  EXPECT_EQ(used_for(kLarge - 1, kLarge - 1), (Numbers{kComputes})) << "too little";
}

TEST_F(CopyQueuesTest, OneForBothWays) {
  open(pretend<1>);
  for (int round = 0; round < 3; ++round) EXPECT_EQ(used_for(kLarge + 77, kLarge + 5), (Numbers{0, 1}));
}

TEST_F(CopyQueuesTest, BuffersAreWrittenAndReadByThem) {
  open(pretend<2>);
  auto buffer = device_->make_buffer(kLarge * 4);
  ASSERT_TRUE(buffer) << buffer.error().message;
  Words in(kLarge), out(kLarge);
  std::iota(in.begin(), in.end(), 7u);
  QueueStandIns::used();
  ASSERT_TRUE(device_->write(**buffer, 0, bytes(in)));
  EXPECT_EQ(QueueStandIns::used(), (Numbers{kUp}));
  ASSERT_TRUE(device_->read(**buffer, 0, bytes(out)));
  EXPECT_EQ(QueueStandIns::used(), (Numbers{kDown}));
  EXPECT_EQ(in, out);
  ASSERT_TRUE(device_->read(**buffer, 4, bytes(out).first(8)));
  EXPECT_EQ(QueueStandIns::used(), (Numbers{kComputes}));
  EXPECT_EQ(out[0], 8u);
}

TEST_F(CopyQueuesTest, NoneWithoutTimelines) {
  open([](Context& context) {
    pretend<2>(context);
    context.timeline = false;
  });
  EXPECT_EQ(used_for(kLarge, kLarge), (Numbers{0}));
}

TEST_F(CopyQueuesTest, CallsOfAllSizesAtOnce) {
  open([](Context& context) {
    QueueStandIns::install(context, 4, 2);
    context.unified = false;
    context.near_memory = true;
    context.piece_bytes = 300u << 10;
    context.least_apart = 100u << 10;
  });
  std::vector<std::thread> callers;
  for (uint32_t caller = 0; caller < 8; ++caller)
    callers.emplace_back([&, caller] {
      for (uint32_t round = 0; round < 20; ++round) {
        const size_t words = size_t{4} << ((caller + round) % 9 * 2);
        Words in(words, caller * 100 + round), out(words);
        const Argument arguments[] = {input(0, in), output(1, out)};
        Dispatch dispatch = groups(words / 64 + 1);
        dispatch.escort = round % 2 == 0;
        EXPECT_TRUE(device_->run(*double_, arguments, dispatch));
        EXPECT_EQ(out, Words(words, 2 * in[0]));
      }
    });
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace kem::vulkan
