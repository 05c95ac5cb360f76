// Cuts a grid of workgroups into boxes that single vkCmdDispatch calls can run.
#pragma once

#include <array>
#include <cstdint>

namespace kem::vulkan {

struct WorkgroupBox {
  std::array<uint32_t, 3> base{};
  std::array<uint32_t, 3> count{};
  uint64_t workgroups() const { return uint64_t{count[0]} * count[1] * count[2]; }
};

// Workgroups of a grid; the largest value if there are more than it can tell.
inline uint64_t count_workgroups(const std::array<uint32_t, 3>& grid) {
  const uint64_t plane = uint64_t{grid[0]} * grid[1];
  uint64_t all = 0;
  return __builtin_mul_overflow(plane, uint64_t{grid[2]}, &all) ? ~uint64_t{0} : all;
}

// Walks the grid x first, then y, then z. Every workgroup is in exactly one box.
class WorkgroupCursor {
 public:
  // `limit`: the most workgroups of one dispatch along each dimension, at least 1.
  WorkgroupCursor(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> limit);

  bool at_begin() const { return !done_ && at_ == std::array<uint32_t, 3>{}; }
  bool done() const { return done_; }
  // The next box, of at most `budget` (at least 1) workgroups. Not after done().
  WorkgroupBox next(uint64_t budget);
  // Passes over all that is left.
  void finish() { done_ = true; }

 private:
  void advance(const WorkgroupBox& box);

  std::array<uint32_t, 3> grid_;
  std::array<uint32_t, 3> limit_;
  std::array<uint32_t, 3> at_{};
  bool done_;
};

}  // namespace kem::vulkan
