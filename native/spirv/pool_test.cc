#include "spirv/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace kem::spirv {
namespace {

struct Block {
  uint8_t* data;
  size_t size;
  uint8_t pattern;
};

// Blocks of all sizes up to more than a page, each filled from end to end.
std::vector<Block> fill(Pool& pool, size_t bytes, bool refill) {
  std::vector<Block> blocks;
  size_t total = 0;
  for (size_t n = 0; total < bytes; ++n) {
    if (refill) pool.refill();
    const size_t size = n % 1000 == 999 ? 100'000 : 16 + n * 7 % 500;
    blocks.push_back({static_cast<uint8_t*>(pool.allocate(size)), size, static_cast<uint8_t>(n)});
    std::memset(blocks.back().data, blocks.back().pattern, size);
    total += size;
  }
  return blocks;
}

bool is_whole(const Block& block) {
  for (size_t k = 0; k < block.size; ++k) {
    if (block.data[k] != block.pattern) return false;
  }
  return true;
}

constexpr size_t kMost = size_t{64} << 20;

class PoolOfText : public testing::TestWithParam<std::pair<size_t, bool>> {};

TEST_P(PoolOfText, BlocksAreApart) {
  const auto [text, refill] = GetParam();
  Pool pool(text, kMost);
  for (const Block& block : fill(pool, 5u << 20, refill)) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % 16, 0u);
    EXPECT_TRUE(is_whole(block));
  }
}

// As GlslangToSpv() does: pages go back to the free ones and are taken again.
TEST_P(PoolOfText, PagesAreUsedAgain) {
  const auto [text, refill] = GetParam();
  Pool pool(text, kMost);
  const auto kept = fill(pool, 3u << 20, refill);
  for (int round = 0; round < 3; ++round) {
    pool.push();
    for (const Block& block : fill(pool, 3u << 20, refill)) EXPECT_TRUE(is_whole(block));
    pool.pop();
  }
  for (const Block& block : kept) EXPECT_TRUE(is_whole(block));
}

TEST_P(PoolOfText, MayStayEmpty) {
  const auto [text, refill] = GetParam();
  Pool pool(text, kMost);
  if (refill) pool.refill();
}

INSTANTIATE_TEST_SUITE_P(Sizes, PoolOfText,
                         testing::Values(std::pair(size_t{0}, true), std::pair(size_t{1} << 20, true),
                                         std::pair(size_t{1} << 20, false)));

}  // namespace
}  // namespace kem::spirv
