// The arguments of a call: are they the pipeline's, and where does each live while it runs?
#pragma once

#include <span>

#include "vulkan/memory.h"
#include "vulkan/pipeline.h"
#include "vulkan/resident.h"

namespace kem::vulkan {

Status check_arguments(const PipelineState& pipeline, std::span<const Argument> arguments);

// Where an argument's buffer is and what moves its bytes.
struct Placement {
  MemoryUse home = MemoryUse::Shared;
  uint64_t size = 0;
  uint64_t upload = 0;    // first bytes that come through an Upload buffer; a multiple of 4 unless resident; 0: none
  bool fill = false;      // the device zeroes the bytes from `upload` on
  uint64_t readback = 0;  // first bytes that leave through a Readback buffer; 0: none
  uint64_t resident = 0;  // BufferState::id of the buffer that is bound instead of one of the call's own; 0: none
  uint64_t offset = 0;    // in it
  const uint8_t* lent = nullptr;  // the caller's memory that is bound instead of that; null: none
  bool delivered = false;         // what leaves goes to an Import instead

  bool operator==(const Placement&) const = default;
};

// `delivered`: there is an Import for its result.
Placement place_argument(const Context& context, const Argument& argument, bool delivered = false);
// The same without use of what is lent; without use of Near memory.
Placement place_copied(const Context& context, const Argument& argument, bool delivered);
Placement place_staged(const Argument& argument, bool delivered);

}  // namespace kem::vulkan
