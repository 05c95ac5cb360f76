// The arguments of a call: are they the pipeline's, and where does each live while it runs?
#pragma once

#include <span>

#include "vulkan/memory.h"
#include "vulkan/pipeline.h"

namespace kem::vulkan {

Status check_arguments(const PipelineState& pipeline, std::span<const Argument> arguments, const DeviceLimits& limits);

// Where an argument's buffer is and what moves its bytes.
struct Placement {
  MemoryUse home = MemoryUse::Shared;
  uint64_t size = 0;
  uint64_t upload = 0;    // first bytes that come through an Upload buffer, rounded up to 4; 0: none
  bool fill = false;      // the device zeroes the bytes from `upload` on
  uint64_t readback = 0;  // first bytes that leave through a Readback buffer; 0: none

  bool operator==(const Placement&) const = default;
};

Placement place_argument(const Context& context, const Argument& argument);

}  // namespace kem::vulkan
