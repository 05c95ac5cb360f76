// A dispatch from its submission to its end.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "vulkan/slot_pool.h"
#include "vulkan/vulkan.h"
#include "vulkan/workgroup_cursor.h"

namespace kem::vulkan {

// Timeout or Cancelled, if the job's time is over or the caller has lost interest.
Status check_time(const Dispatch& dispatch);

// Belongs to one thread at a time: the starter's, then the lane's.
struct Flight {
  using Clock = std::chrono::steady_clock;

  Flight(SlotLease lease, std::shared_ptr<PipelineState> state, std::span<const Argument> buffers,
         const Dispatch& wanted, std::array<uint32_t, 3> workgroups, const std::array<uint32_t, 3>& limit,
         Completion& told)
      : slot(std::move(lease)),
        pipeline(std::move(state)),
        arguments(buffers),
        dispatch(wanted),
        grid(workgroups),
        cursor(grid, limit),
        completion(&told) {}

  SlotLease slot;
  std::shared_ptr<PipelineState> pipeline;
  std::span<const Argument> arguments;  // the caller's, until the completion was told
  Dispatch dispatch;
  std::array<uint32_t, 3> grid;
  WorkgroupCursor cursor;     // behind the slice that is recorded
  uint64_t slice = 0;         // workgroups of the slice that is recorded
  uint64_t budget = 0;        // most workgroups of the next slice; 0: the pipeline's pace tells
  Clock::time_point started;  // the first slice's submission
  RunTimes times;             // upload; the rest at the end
  Completion* completion;     // null once it was told: the device still runs what nobody waits for

  // Records the first or the next slice, unless the slot holds the whole job from an earlier call.
  Status record();
  // Tells the completion; not twice.
  void end(Result<RunTimes> result) { std::exchange(completion, nullptr)->ended(std::move(result)); }
};

}  // namespace kem::vulkan
