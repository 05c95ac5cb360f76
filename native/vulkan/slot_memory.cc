// Where the arguments of a slot's steps are.
#include <utility>

#include "vulkan/imports.h"
#include "vulkan/slot.h"

namespace kem::vulkan {

// From the begin of its first page to the end of its last.
Result<Place> Slot::place_lent(const Placement& placement) {
  const uint64_t unit = context_->import_alignment;
  const uint64_t offset = reinterpret_cast<uintptr_t>(placement.lent) % unit;
  // A binding that is only read, or memory that the caller has given for being written.
  uint8_t* const begin = const_cast<uint8_t*>(placement.lent) - offset;
  KEM_TRY(Block block,
          Block::import(*context_, begin, (offset + placement.size + unit - 1) / unit * unit, MemoryUse::Shared));
  lent_.push_back(std::move(block));
  return Place{lent_.back().buffer(), offset, nullptr};
}

// False if there is no more of it, which is asked for once for all arguments.
Result<bool> Slot::place_near(Bound& bound) {
  if (near_is_full_) return false;
  auto near = arena(MemoryUse::Near).place(bound.placement.size);
  if (!near && near.error().error_class != ErrorClass::OutOfMemory) return fail(std::move(near).error());
  near_is_full_ = !near;
  if (near) bound.home = *near;
  return !near_is_full_;
}

// What the driver does not take of lent memory is copied, and what does not fit into Near memory staged.
Status Slot::place_home(const PlannedStep& step, size_t nth, Bound& bound) {
  const Argument& argument = step.arguments[nth];
  Placement& placement = bound.placement;
  if (placement.lent != nullptr) {
    if (auto lent = place_lent(placement)) {
      bound.home = *lent;
      return {};
    }
    placement = place_copied(*context_, argument, step.delivers(nth));
  }
  if (placement.resident != 0) {
    bound.home = (*state_of(argument.resident))->place(placement.offset);
    return {};
  }
  if (placement.home == MemoryUse::Near) {
    KEM_TRY(const bool near, place_near(bound));
    if (near) return {};
    placement = place_staged(argument, step.delivers(nth));
  }
  KEM_TRY(bound.home, arena(placement.home).place(placement.size));
  return {};
}

Status Slot::place_bound(const PlannedStep& step, size_t nth, Bound& bound) {
  const Argument& argument = step.arguments[nth];
  bound.group = argument.group;
  bound.binding = argument.binding;
  bound.wanted = bound.placement = place_argument(*context_, argument, step.delivers(nth));
  KEM_CHECK(place_home(step, nth, bound));
  if (bound.placement.upload != 0) {
    KEM_TRY(bound.upload, arena(MemoryUse::Upload).place(bound.placement.upload));
  }
  if (bound.placement.delivered) {
    deliver(*step.delivery, bound);
  } else if (bound.placement.readback != 0) {
    KEM_TRY(bound.readback, arena(MemoryUse::Readback).place(bound.placement.readback));
  }
  return {};
}

// Results lie at the begin of their pages.
void Slot::deliver(const Import& import, Bound& bound) {
  bound.import = import.id;
  bound.readback = {import.block.buffer(), 0, nullptr};
}

Status Slot::redirect(std::span<const PlannedStep> steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].delivery == nullptr) continue;
    const Argument& argument = steps[i].arguments[steps[i].delivered];
    const Bound& known = bound_to(i, steps[i].delivered, argument);
    if (known.import == steps[i].delivery->id) continue;
    const auto index = static_cast<size_t>(&known - bound_.data());
    deliver(*steps[i].delivery, bound_[index]);
    recorded_.clear();
    for (const Piece& piece : readback_pieces_) {
      if (piece.bound != index) continue;
      Status recorded = record_piece(piece, false);
      if (!recorded) forget();
      KEM_CHECK(std::move(recorded));
    }
  }
  return {};
}

Status Slot::place_all(std::span<const PlannedStep> steps) {
  for (Arena& each : arenas_) each.rewind();
  near_is_full_ = false;
  lent_.clear();
  bound_.clear();
  steps_.clear();
  for (const PlannedStep& step : steps) {
    steps_.push_back({step.pipeline->id, bound_.size(), 0});
    for (size_t nth = 0; nth < step.arguments.size(); ++nth) KEM_CHECK(place_bound(step, nth, bound_.emplace_back()));
  }
  return {};
}

}  // namespace kem::vulkan
