// The steps of a submission once they have been checked, and how far they have been run.
#pragma once

#include <array>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "vulkan/pipeline.h"
#include "vulkan/vulkan.h"
#include "vulkan/workgroup_cursor.h"

namespace kem::vulkan {

struct Import;

struct PlannedStep {
  std::shared_ptr<PipelineState> pipeline;
  std::span<const Argument> arguments;  // the caller's, until the completion was told
  std::array<uint32_t, 3> grid{};       // workgroups; none is 0
  std::span<const uint8_t> immediates;
  bool independent = false;
  std::shared_ptr<const Import> delivery{};  // where the device copies the result of the argument `delivered` to
  size_t delivered = 0;

  bool delivers(size_t argument) const { return delivery != nullptr && delivered == argument; }
  uint64_t workgroups() const { return count_workgroups(grid); }
};
using PlannedSteps = std::pmr::vector<PlannedStep>;

// Walks the workgroups of one step after the other.
class StepCursor {
 public:
  // `limit`: the most workgroups of one dispatch along each dimension. There is at least one step. The steps outlive
  // the cursor.
  StepCursor(const PlannedSteps& steps, const std::array<uint32_t, 3>& limit)
      : steps_(&steps), limit_(limit), groups_(steps.front().grid, limit) {}

  bool at_begin() const { return step_ == 0 && groups_.at_begin(); }
  bool done() const { return step_ == steps_->size(); }
  // Not after done():
  size_t index() const { return step_; }
  const PlannedStep& step() const { return (*steps_)[step_]; }
  // Of the step; never done.
  WorkgroupCursor& groups() { return groups_; }
  // Goes on to the next step if the workgroups of this one are done.
  void settle() {
    if (!groups_.done() || ++step_ == steps_->size()) return;
    groups_ = WorkgroupCursor(step().grid, limit_);
  }
  // Passes over all that is left.
  void finish() { step_ = steps_->size(); }

 private:
  const PlannedSteps* steps_;
  std::array<uint32_t, 3> limit_;
  size_t step_ = 0;
  WorkgroupCursor groups_;
};

}  // namespace kem::vulkan
