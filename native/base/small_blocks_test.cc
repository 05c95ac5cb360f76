#include "base/small_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

namespace kem {
namespace {

std::vector<void*> allocate(SmallBlocks& blocks, size_t count, size_t bytes) {
  std::vector<void*> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(blocks.allocate(bytes));
    std::memset(all.back(), 0xa5, bytes);
  }
  return all;
}

// Of `blocks` those that are among `others`.
std::vector<void*> common(const std::vector<void*>& blocks, const std::vector<void*>& others) {
  std::vector<void*> found;
  std::ranges::copy_if(blocks, std::back_inserter(found),
                       [&](void* block) { return std::ranges::find(others, block) != others.end(); });
  return found;
}

// The C library may give a block of the next size now and then.
TEST(SmallBlocks, WhatWasFreedIsUsedAgainTheLastFirst) {
  struct Sizes {
    size_t first, again;
  };
  for (const Sizes sizes : {Sizes{1, 24}, {25, 40}, {100, 97}, {504, 489}}) {
    SmallBlocks blocks;
    const std::vector<void*> freed = allocate(blocks, 50, sizes.first);
    for (void* const block : freed) blocks.free(block);
    const std::vector<void*> used = allocate(blocks, 50, sizes.again);
    const std::vector<void*> again = common(used, freed);
    EXPECT_GE(again.size(), 40u) << sizes.first;
    EXPECT_EQ(again, common(std::vector<void*>(freed.rbegin(), freed.rend()), again)) << sizes.first;
    for (void* const block : used) blocks.free(block);
  }
}

TEST(SmallBlocks, KeepsNoMoreThanItsBoundOfASize) {
  for (const size_t bytes : {24u, 200u, 504u}) {
    SmallBlocks blocks;
    const size_t most = SmallBlocks::kMostKept / (bytes + 8);
    for (void* const block : allocate(blocks, 4 * most, bytes)) blocks.free(block);
    EXPECT_LE(blocks.kept(bytes), most);
    EXPECT_GE(blocks.kept(bytes), most * 9 / 10);
    for (void* const block : allocate(blocks, most / 2, bytes)) std::free(block);
    EXPECT_LE(blocks.kept(bytes), most - most / 2);
  }
}

// The C library's own, and ours by its free().
TEST(SmallBlocks, BlocksAreMallocs) {
  SmallBlocks blocks;
  for (const size_t bytes : {1u, 24u, 25u, 500u, 504u, 505u, 100'000u}) {
    std::free(blocks.allocate(bytes));
    void* const block = std::malloc(bytes);
    blocks.free(block);
    void* const other = blocks.allocate(bytes);
    std::memset(other, 0xa5, bytes);
    std::free(other);
  }
  blocks.free(nullptr);
}

// Blocks of any size, each filled from end to end, freed in no order.
TEST(SmallBlocks, BlocksAreApart) {
  SmallBlocks blocks;
  std::minstd_rand random(7);
  struct Block {
    uint8_t* data = nullptr;
    size_t size = 0;
    uint8_t pattern = 0;
  };
  std::vector<Block> held(2000);
  for (size_t n = 0; n < 100'000; ++n) {
    Block& block = held[random() % held.size()];
    for (size_t at = 0; at < block.size; ++at) ASSERT_EQ(block.data[at], block.pattern);
    blocks.free(block.data);
    block.size = random() % (n % 10 == 0 ? 2000 : 100);
    block.data = static_cast<uint8_t*>(blocks.allocate(block.size));
    block.pattern = static_cast<uint8_t>(n);
    if (block.size != 0) std::memset(block.data, block.pattern, block.size);
  }
  for (const Block& block : held) blocks.free(block.data);
}

}  // namespace
}  // namespace kem
