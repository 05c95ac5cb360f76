#include "vulkan/flight.h"

#include <limits>

namespace kem::vulkan {

Status Flight::record() {
  constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();
  const bool can_split = pipeline->has_push_constants;
  if (budget == 0) budget = can_split ? pipeline->pace.first_slice() : kUnlimited;
  if (cursor.at_begin() && slot->has_recorded(grid) && cursor.total() <= budget) {
    slice = cursor.total();
    cursor.finish();
    return {};
  }
  KEM_TRY(slice, slot->record(*pipeline, grid, cursor, can_split ? budget : kUnlimited));
  return {};
}

Status check_time(const Dispatch& dispatch) {
  if (dispatch.cancelled != nullptr && dispatch.cancelled->load(std::memory_order_relaxed))
    return fail(ErrorClass::Cancelled, "the job was cancelled");
  if (Flight::Clock::now() >= dispatch.deadline) return fail(ErrorClass::Timeout, "the job's time ran out");
  return {};
}

}  // namespace kem::vulkan
