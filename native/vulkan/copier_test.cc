#include "vulkan/copier.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kem::vulkan {
namespace {

TEST(CopierTest, CopiesAndZeroesEveryByteAndNoOther) {
  for (const size_t helpers : {0, 1, 5}) {
    Copier copier(helpers);
    for (const uint64_t size : {uint64_t{0}, uint64_t{1}, Copier::kAlone, Copier::kAlone + 1, 3 * Copier::kPiece + 7}) {
      std::vector<uint8_t> from(size), to(size + 2, 0xee);
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
      copier.copy(to.data() + 1, from.data(), size);
      EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1));
      EXPECT_EQ(to.front(), 0xee);
      EXPECT_EQ(to.back(), 0xee);
      copier.zero(to.data() + 1, size);
      EXPECT_EQ(std::accumulate(to.begin(), to.end(), 0ull), 2 * 0xeeu);
    }
  }
}

TEST(CopierTest, ManyThreadsCopyAtOnce) {
  Copier copier(3);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&copier, t] {
      const std::vector<uint8_t> from(2 * Copier::kPiece + 5, static_cast<uint8_t>(t + 1));
      for (int round = 0; round < 10; ++round) {
        std::vector<uint8_t> to(from.size());
        copier.copy(to.data(), from.data(), from.size());
        EXPECT_EQ(to, from);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kem::vulkan
