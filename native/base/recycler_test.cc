#include "base/recycler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kem {
namespace {

TEST(Recycler, BlocksOfAnySizeAndAlignmentAreOnesOwn) {
  Recycler recycler;
  struct Block {
    uint8_t* memory;
    size_t size, alignment;
  };
  for (int round = 0; round < 3; ++round) {
    std::vector<Block> blocks;
    for (const size_t size : {1u, 63u, 64u, 65u, 128u, 129u, 1000u, 1024u, 2047u, 2048u, 2049u, 100000u})
      for (const size_t alignment : {1u, 8u, 16u, 64u, 256u})
        for (int copy = 0; copy < 3; ++copy) {
          auto* const memory = static_cast<uint8_t*>(recycler.allocate(size, alignment));
          EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
          std::memset(memory, static_cast<int>(blocks.size()), size);
          blocks.push_back({memory, size, alignment});
        }
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (size_t at = 0; at < blocks[i].size; ++at) ASSERT_EQ(blocks[i].memory[at], static_cast<uint8_t>(i));
      recycler.deallocate(blocks[i].memory, blocks[i].size, blocks[i].alignment);
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Recycler, WhatWasGivenBackIsUsedAgain) {
  Recycler recycler;
  void* const first = recycler.allocate(700);
  recycler.deallocate(first, 700);
  void* const other = recycler.allocate(100);
  void* const again = recycler.allocate(1000);
  EXPECT_EQ(again, first) << "the same power of two";
  EXPECT_NE(other, first);
  recycler.deallocate(other, 100);
  recycler.deallocate(again, 1000);
}
#endif

TEST(Recycler, KeepsNoMoreThanItsBound) {
  Recycler recycler;
  std::vector<void*> blocks;
  for (size_t i = 0; i < 2 * Recycler::kMostKept; ++i) blocks.push_back(recycler.allocate(64));
  for (void* const block : blocks) recycler.deallocate(block, 64);
}

struct Base {
  virtual ~Base() = default;
};
struct Counted final : Base, Recycled {
  explicit Counted(std::atomic<int>& count) : alive(count) {
    if (++alive > 1000) throw std::runtime_error("too many");
  }
  ~Counted() override { --alive; }
  std::atomic<int>& alive;
  char rest[300] = {};
};

TEST(Recycled, IsDestroyedThroughItsBase) {
  Recycler recycler;
  std::atomic<int> alive{0};
  for (int i = 0; i < 10; ++i) {
    const std::unique_ptr<Base> object(new (recycler) Counted(alive));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Recycled, AConstructorMayThrow) {
  Recycler recycler;
  std::atomic<int> alive{1000};
  EXPECT_THROW(delete new (recycler) Counted(alive), std::runtime_error);
}

TEST(Recycled, MadeHereAndDestroyedThere) {
  constexpr int kObjects = 20000;
  Recycler recycler;
  std::atomic<int> alive{0};
  std::atomic<Counted*> handed{nullptr};
  std::thread destroyer([&] {
    for (int i = 0; i < kObjects;) {
      Counted* const object = handed.exchange(nullptr);
      delete object;
      i += object != nullptr ? 1 : 0;
    }
  });
  for (int i = 0; i < kObjects;) {
    Counted* expected = nullptr;
    auto object = std::unique_ptr<Counted>(new (recycler) Counted(alive));
    while (!handed.compare_exchange_weak(expected, object.get())) expected = nullptr;
    static_cast<void>(object.release());
    ++i;
  }
  destroyer.join();
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace kem
