#include "vulkan/shadow.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kem::vulkan {
namespace {

// Threads that tell who they are and live until the test ends.
class Threads {
 public:
  void add() {
    std::atomic<pid_t> id{0};
    threads_.emplace_back([&id, this] {
      id = gettid();
      id.notify_one();
      ended_.wait(false);
    });
    id.wait(0);
    last_ = id;
  }
  pid_t last() const { return last_; }
  ~Threads() {
    ended_ = true;
    ended_.notify_all();
  }

 private:
  std::atomic<bool> ended_{false};
  pid_t last_ = 0;
  std::vector<std::jthread> threads_;  // declared last: joined first
};

int cores_of(pid_t thread) {
  cpu_set_t cores;
  return sched_getaffinity(thread, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : -1;
}

TEST(ShadowTest, FollowsTheOneThreadThatWasMade) {
  const int all = cores_of(gettid());
  if (all < 2) GTEST_SKIP() << "this process may use one core only";
  Threads threads;
  threads.add();  // not its business
  std::optional<Shadow> shadow = Shadow::of_thread_made_by([&] { threads.add(); });
  ASSERT_TRUE(shadow);
  EXPECT_EQ(cores_of(threads.last()), all);
  for (int round = 0; round < 3; ++round) {
    shadow->follow();
    EXPECT_EQ(cores_of(threads.last()), 1);
    shadow->release();
    EXPECT_EQ(cores_of(threads.last()), all);
  }
  // A second one made by the same thread is told from the first.
  const pid_t first = threads.last();
  std::optional<Shadow> second = Shadow::of_thread_made_by([&] { threads.add(); });
  ASSERT_TRUE(second);
  second->follow();
  EXPECT_EQ(cores_of(threads.last()), 1);
  EXPECT_EQ(cores_of(first), all);
}

TEST(ShadowTest, NothingToFollow) {
  EXPECT_FALSE(Shadow::of_thread_made_by([] {}));
  Threads threads;
  EXPECT_FALSE(Shadow::of_thread_made_by([&] {
    threads.add();
    threads.add();
  }));
}

TEST(ShadowTest, TheCreatorKeepsItsName) {
  std::thread([] {
    pthread_setname_np(pthread_self(), "creator");
    Shadow::of_thread_made_by([] {});
    char name[16] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_STREQ(name, "creator");
  }).join();
}

}  // namespace
}  // namespace kem::vulkan
