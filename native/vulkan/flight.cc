#include "vulkan/flight.h"

#include <algorithm>

#include "vulkan/lanes.h"

namespace kem::vulkan {
namespace {

// Of more steps it is not worth asking how long they will take.
constexpr size_t kFewSteps = 16;
constexpr std::chrono::milliseconds kBrief{1};

}  // namespace

Status Flight::record() {
  if (budget == 0) budget = steps.front().pipeline->first_slice();
  if (cursor.at_begin() && slot->has_recorded(steps) && fits_a_slice()) {
    slice = 0;
    for (const PlannedStep& step : steps) slice += step.workgroups();
    cursor.finish();
    return {};
  }
  slice_begin = cursor.index();
  KEM_TRY(slice, slot->record(steps, cursor, budget));
  return {};
}

bool Flight::fits_a_slice() const {
  if (steps.size() == 1) return steps.front().workgroups() <= budget;
  double part = 0;
  for (const PlannedStep& step : steps)
    part += static_cast<double>(step.workgroups()) / static_cast<double>(step.pipeline->first_slice());
  return part <= 1;
}

void Flight::note_time(std::chrono::nanoseconds time, bool alone) {
  if (steps.size() == 1) {
    if (alone) steps.front().pipeline->pace.set_latest(slice, time);
    budget = steps.front().pipeline->pace.next_slice(slice, time);
    return;
  }
  // Several pipelines share a slice: each is taken to cost what all cost on average, until it runs alone.
  std::vector<PipelineState*> noted;
  const size_t end = cursor.done() ? steps.size() : cursor.index() + 1;
  for (size_t i = slice_begin; i < end; ++i) {
    PipelineState* const pipeline = steps[i].pipeline.get();
    if (std::find(noted.begin(), noted.end(), pipeline) != noted.end()) continue;
    noted.push_back(pipeline);
    pipeline->pace.next_slice(slice, time);
  }
}

std::chrono::nanoseconds Flight::expected() const {
  if (steps.size() > kFewSteps) return {};
  double sum = 0;
  for (const PlannedStep& step : steps) {
    const auto cost = step.pipeline->pace.latest().count();
    if (cost == 0) return {};
    sum += static_cast<double>(cost) * static_cast<double>(step.workgroups());
  }
  return std::chrono::nanoseconds(static_cast<int64_t>(std::min(sum, 1e15)));
}

bool Flight::is_brief() const {
  return steps.size() <= kFewSteps && slot->copied_bytes() < Lanes::kBriefBytes && expected() <= kBrief;
}

void Flight::read_pieces(Copier& copier) {
  for (const auto pieces = slot->readback_pieces(); pieces_read < pieces.size(); ++pieces_read)
    slot->readback(steps, pieces[pieces_read], copier);
}

void Flight::keep_residents() {
  for (const PlannedStep& step : steps) {
    for (const Argument& argument : step.arguments) {
      if (argument.resident == nullptr) continue;
      const auto* const state = state_of(argument.resident);
      if (state != nullptr && std::find(residents.begin(), residents.end(), *state) == residents.end())
        residents.push_back(*state);
    }
  }
}

Status check_time(const Terms& terms) { return check_time(terms, Flight::Clock::now()); }

Status check_time(const Terms& terms, Flight::Clock::time_point now) {
  if (terms.cancelled != nullptr && terms.cancelled->load(std::memory_order_relaxed))
    return fail(ErrorClass::Cancelled, "the job was cancelled");
  if (now >= terms.deadline) return fail(ErrorClass::Timeout, "the job's time ran out");
  return {};
}

}  // namespace kem::vulkan
