// Steps from their submission to their end.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/recycler.h"
#include "vulkan/resident.h"
#include "vulkan/slot_pool.h"
#include "vulkan/steps.h"
#include "vulkan/tickets.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Timeout or Cancelled, if the job's time is over or the caller has lost interest.
Status check_time(const Terms& terms);
Status check_time(const Terms& terms, std::chrono::steady_clock::time_point now);

// Belongs to one thread at a time: the starter's, then the lane's.
struct Flight : Recycled {
  using Clock = std::chrono::steady_clock;

  Flight(SlotLease lease, PlannedSteps planned, const Terms& wanted, const std::array<uint32_t, 3>& limit,
         Completion& told)
      : terms(wanted), slot(std::move(lease)), steps(std::move(planned)), cursor(steps, limit), completion(&told) {
    keep_residents();
  }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  Terms terms;  // first: the slot lets go of lent memory before the lender does
  SlotLease slot;
  PlannedSteps steps;
  StepCursor cursor;          // behind the slice that is recorded
  size_t slice_begin = 0;     // the step that the slice that is recorded begins in
  uint64_t slice = 0;         // workgroups of it
  uint64_t budget = 0;        // most workgroups of the next slice of a single step; 0: the pipeline's pace tells
  Clock::time_point started;  // when its bytes were uploaded
  RunTimes times;             // upload; the rest at the end
  Completion* completion;     // null once it was told: the device still runs what nobody waits for
  std::vector<std::shared_ptr<BufferState>> residents;
  Tickets::Point uploaded;       // by a copy queue
  uint64_t first_piece = 0;      // ticket of the slot's first readback piece, once it is submitted
  size_t pieces_read = 0;        // that have been copied out
  std::optional<Error> failure;  // some piece could not be submitted

  // Records the first or the next slice, unless the slot holds the whole job from an earlier call.
  Status record();
  // Takes the time of the slice that has ended; `alone`: nothing else was submitted with it.
  void note_time(std::chrono::nanoseconds time, bool alone);
  // What the whole will take, by what its pipelines took when they last ran alone; 0: unknown.
  std::chrono::nanoseconds expected() const;
  // Whether it keeps a queue for so little time that others can wait for it; what is not known is taken for brief.
  bool is_brief() const;
  // Copies the pieces out that have not been yet; the device has ended.
  void read_pieces(Copier& copier);
  // Tells the completion; not twice.
  void end(Result<RunTimes> result) { std::exchange(completion, nullptr)->ended(std::move(result)); }

 private:
  bool fits_a_slice() const;
  void keep_residents();
};

}  // namespace kem::vulkan
