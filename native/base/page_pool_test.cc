#include "base/page_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

namespace kem {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMiB = size_t{1} << 20;

bool all_zeros(const Pages& pages, size_t bytes) {
  return std::all_of(pages.data, pages.data + bytes, [](uint8_t byte) { return byte == 0; });
}

bool begins_with_a_page(const Pages& pages) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return reinterpret_cast<uintptr_t>(pages.data) % page == 0 && pages.size % page == 0;
}

TEST(PagePool, PagesAreZerosAndUsedAgain) {
  PagePool pool(64 * kMiB, 1h);
  for (const size_t bytes : {size_t{1}, size_t{100'000}, 3 * kMiB + 17}) {
    const Pages first = pool.take(bytes);
    ASSERT_NE(first.data, nullptr);
    EXPECT_GE(first.size, bytes);
    EXPECT_TRUE(begins_with_a_page(first));
    EXPECT_TRUE(all_zeros(first, bytes));
    std::memset(first.data, 0xa5, first.size);
    pool.give_back(first);
    EXPECT_EQ(pool.kept(), first.size);
    const Pages second = pool.take(bytes);
    EXPECT_EQ(second.data, first.data);
    EXPECT_TRUE(all_zeros(second, bytes));
    EXPECT_EQ(pool.kept(), 0u);
    second.unmap();
  }
}

// Up to the end of the last page: a device may reach it.
TEST(PagePool, TheRestOfThePageIsZerosToo) {
  PagePool pool(64 * kMiB, 1h);
  const Pages first = pool.take(9001);
  std::memset(first.data, 0xa5, first.size);
  pool.give_back(first);
  const Pages second = pool.take(8500);
  ASSERT_EQ(second.data, first.data);
  EXPECT_TRUE(all_zeros(second, second.size));
  second.unmap();
}

TEST(PagePool, WhatIsMuchLargerIsNotUsed) {
  PagePool pool(64 * kMiB, 1h);
  pool.give_back(pool.take(16 * kMiB));
  const Pages small = pool.take(4 * kMiB);
  EXPECT_EQ(small.size, 4 * kMiB);
  EXPECT_EQ(pool.kept(), 16 * kMiB);
  const Pages nearly = pool.take(15 * kMiB);
  EXPECT_EQ(nearly.size, 16 * kMiB);
  small.unmap();
  nearly.unmap();
}

TEST(PagePool, KeepsNoMoreThanItsLimitAndTheLatest) {
  PagePool pool(8 * kMiB, 1h);
  const Pages first = pool.take(4 * kMiB), second = pool.take(4 * kMiB), third = pool.take(4 * kMiB);
  const Pages large = pool.take(10 * kMiB);
  pool.give_back(first);
  pool.give_back(second);
  pool.give_back(third);
  EXPECT_EQ(pool.kept(), 8 * kMiB);
  pool.give_back(large);
  EXPECT_EQ(pool.kept(), 8 * kMiB);
  EXPECT_EQ(pool.take(4 * kMiB).data, third.data);
  EXPECT_EQ(pool.take(4 * kMiB).data, second.data);
  third.unmap();
  second.unmap();
}

TEST(PagePool, GivesBackWhatNobodyWants) {
  PagePool pool(64 * kMiB, 1ms);
  for (int round = 0; round < 3; ++round) {
    pool.give_back(pool.take(4 * kMiB));
    while (pool.kept() != 0) std::this_thread::sleep_for(1ms);
  }
}

TEST(PagePool, KeepsNothingOnceItIsClosed) {
  PagePool pool(64 * kMiB, 1h);
  const Pages out = pool.take(kMiB);
  pool.give_back(pool.take(4 * kMiB));
  pool.close();
  EXPECT_EQ(pool.kept(), 0u);
  pool.give_back(out);
  EXPECT_EQ(pool.kept(), 0u);
  const Pages more = pool.take(kMiB);
  EXPECT_NE(more.data, nullptr);
  more.unmap();
}

TEST(PagePool, SaysThatThereIsNoMemory) {
  PagePool pool(64 * kMiB, 1h);
  EXPECT_EQ(pool.take(std::numeric_limits<size_t>::max() / 4).data, nullptr);
}

TEST(PagePool, ServesManyThreads) {
  PagePool pool(8 * kMiB, 2ms);
  std::vector<std::thread> threads;
  for (uint8_t mark = 1; mark <= 4; ++mark) {
    threads.emplace_back([&pool, mark] {
      for (int round = 0; round < 50; ++round) {
        const Pages pages = pool.take(100'000 * mark);
        EXPECT_TRUE(all_zeros(pages, 100'000));
        std::memset(pages.data, mark, 100'000);
        pool.give_back(pages);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kem
