#include "base/page_pool.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
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

constexpr PageContent kZeros = PageContent::Zeros, kAny = PageContent::Any;

bool all_are(uint8_t value, const Pages& pages, size_t bytes) {
  return std::all_of(pages.data(), pages.data() + bytes, [&](uint8_t byte) { return byte == value; });
}

bool begins_with_a_page(const Pages& pages) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return reinterpret_cast<uintptr_t>(pages.data()) % page == 0 && pages.size() % page == 0;
}

TEST(PagePool, PagesAreZerosAndUsedAgain) {
  PagePool pool(64 * kMiB, 1h);
  for (const size_t bytes : {size_t{1}, size_t{100'000}, 3 * kMiB + 17}) {
    const auto first = pool.take(bytes, kZeros);
    ASSERT_NE(first, nullptr);
    EXPECT_GE(first->size(), bytes);
    EXPECT_EQ(first->uses(), 1u);
    EXPECT_TRUE(begins_with_a_page(*first));
    EXPECT_TRUE(all_are(0, *first, bytes));
    std::memset(first->data(), 0xa5, first->size());
    pool.give_back(first);
    EXPECT_EQ(pool.kept(), first->size());
    const auto second = pool.take(bytes, kZeros);
    EXPECT_EQ(second, first);
    EXPECT_EQ(second->uses(), 2u);
    EXPECT_TRUE(all_are(0, *second, bytes));
    EXPECT_EQ(pool.kept(), 0u);
  }
}

// Up to the end of the last page: a device may reach it.
TEST(PagePool, TheRestOfThePageIsZerosToo) {
  PagePool pool(64 * kMiB, 1h);
  const auto first = pool.take(9001, kZeros);
  std::memset(first->data(), 0xa5, first->size());
  pool.give_back(first);
  const auto second = pool.take(8500, kZeros);
  ASSERT_EQ(second, first);
  EXPECT_TRUE(all_are(0, *second, second->size()));
}

TEST(PagePool, ClearsNothingForWhoOverwritesAll) {
  PagePool pool(64 * kMiB, 1h);
  const auto first = pool.take(3 * kMiB, kAny);
  EXPECT_TRUE(all_are(0, *first, first->size())) << "the system's own are zeros";
  std::memset(first->data(), 0xa5, first->size());
  pool.give_back(first);
  const auto second = pool.take(3 * kMiB, kAny);
  ASSERT_EQ(second, first);
  EXPECT_TRUE(all_are(0xa5, *second, second->size()));
  pool.give_back(second);
  EXPECT_TRUE(all_are(0, *pool.take(3 * kMiB, kZeros), 3 * kMiB));
}

TEST(PagePool, WhatIsMuchLargerIsNotUsed) {
  PagePool pool(64 * kMiB, 1h);
  pool.give_back(pool.take(16 * kMiB, kZeros));
  const auto small = pool.take(4 * kMiB, kZeros);
  EXPECT_EQ(small->size(), 4 * kMiB);
  EXPECT_EQ(pool.kept(), 16 * kMiB);
  EXPECT_EQ(pool.take(15 * kMiB, kZeros)->size(), 16 * kMiB);
}

TEST(PagePool, KeepsNoMoreThanItsLimitAndTheLatest) {
  PagePool pool(8 * kMiB, 1h);
  const auto first = pool.take(4 * kMiB, kZeros), second = pool.take(4 * kMiB, kZeros),
             third = pool.take(4 * kMiB, kZeros), large = pool.take(10 * kMiB, kZeros);
  pool.give_back(first);
  pool.give_back(second);
  EXPECT_FALSE(first->retired());
  pool.give_back(third);
  EXPECT_TRUE(first->retired());
  EXPECT_EQ(pool.kept(), 8 * kMiB);
  pool.give_back(large);
  EXPECT_TRUE(large->retired());
  EXPECT_EQ(pool.kept(), 8 * kMiB);
  EXPECT_EQ(pool.take(4 * kMiB, kZeros), third);
  EXPECT_EQ(pool.take(4 * kMiB, kZeros), second);
  EXPECT_FALSE(third->retired());
}

TEST(PagePool, GivesBackWhatNobodyWants) {
  PagePool pool(64 * kMiB, 1ms);
  for (int round = 0; round < 3; ++round) {
    const auto pages = pool.take(4 * kMiB, kZeros);
    pool.give_back(pages);
    while (pool.kept() != 0 || !pages->retired()) std::this_thread::sleep_for(1ms);
  }
}

// Whether they are mapped: the system knows.
bool mapped(void* data) {
  unsigned char resident = 0;
  return mincore(data, 1, &resident) == 0;
}

TEST(PagePool, PagesStayAsLongAsSomebodyRefersToThem) {
  PagePool pool(0, 1h);
  auto pages = pool.take(kMiB, kZeros);
  void* const data = pages->data();
  std::shared_ptr<const Pages> imported = pages->shared_from_this();
  pool.give_back(std::move(pages));
  EXPECT_TRUE(imported->retired());
  EXPECT_TRUE(mapped(data));
  imported.reset();
  EXPECT_FALSE(mapped(data));
}

TEST(PagePool, KeepsNothingOnceItIsClosed) {
  PagePool pool(64 * kMiB, 1h);
  const auto out = pool.take(kMiB, kZeros), back = pool.take(4 * kMiB, kZeros);
  pool.give_back(back);
  pool.close();
  EXPECT_TRUE(back->retired());
  EXPECT_EQ(pool.kept(), 0u);
  pool.give_back(out);
  EXPECT_TRUE(out->retired());
  EXPECT_EQ(pool.kept(), 0u);
  EXPECT_NE(pool.take(kMiB, kZeros), nullptr);
}

TEST(PagePool, SaysThatThereIsNoMemory) {
  PagePool pool(64 * kMiB, 1h);
  EXPECT_EQ(pool.take(std::numeric_limits<size_t>::max() / 4, kAny), nullptr);
  pool.give_back(nullptr);
  EXPECT_EQ(pool.kept(), 0u);
}

TEST(PagePool, ServesManyThreads) {
  PagePool pool(8 * kMiB, 2ms);
  std::vector<std::thread> threads;
  for (uint8_t mark = 1; mark <= 4; ++mark) {
    threads.emplace_back([&pool, mark] {
      for (int round = 0; round < 50; ++round) {
        const auto pages = pool.take(100'000 * mark, kZeros);
        EXPECT_TRUE(all_are(0, *pages, 100'000));
        std::memset(pages->data(), mark, 100'000);
        pool.give_back(pages);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kem
