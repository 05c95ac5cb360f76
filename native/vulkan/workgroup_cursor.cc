#include "vulkan/workgroup_cursor.h"

#include <algorithm>

namespace kem::vulkan {
namespace {

uint32_t smallest(uint32_t a, uint32_t b, uint64_t c) { return static_cast<uint32_t>(std::min<uint64_t>({a, b, c})); }

}  // namespace

WorkgroupCursor::WorkgroupCursor(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> limit)
    : grid_(grid), limit_(limit), done_(grid[0] == 0 || grid[1] == 0 || grid[2] == 0) {}

// A box spans several rows only if it holds them whole, and several planes only if it holds those whole: what is
// left after it then starts at one place.
WorkgroupBox WorkgroupCursor::next(uint64_t budget) {
  WorkgroupBox box{at_, {1, 1, 1}};
  box.count[0] = smallest(grid_[0] - at_[0], limit_[0], budget);
  if (box.count[0] == grid_[0]) box.count[1] = smallest(grid_[1] - at_[1], limit_[1], budget / box.count[0]);
  if (box.count[0] == grid_[0] && box.count[1] == grid_[1])
    box.count[2] = smallest(grid_[2] - at_[2], limit_[2], budget / (uint64_t{box.count[0]} * box.count[1]));
  advance(box);
  return box;
}

void WorkgroupCursor::advance(const WorkgroupBox& box) {
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    at_[dimension] += box.count[dimension];
    if (at_[dimension] < grid_[dimension]) return;
    at_[dimension] = 0;
  }
  done_ = true;
}

}  // namespace kem::vulkan
