// What is better written across the link than staged, found by trying when the device is opened: inputs in memory of
// the device's own that the host can write (BAR), results of shaders in memory of the host's.
#pragma once

#include <cstdint>

#include "vulkan/context.h"

namespace kem::vulkan {

// Measured.
struct NearCosts {
  double near_write = 0;     // ns a byte: the host writes Near memory
  double staging_write = 0;  // ns a byte: it writes Upload memory
  double copy = 0;           // ns a byte: the device copies from there to memory of its own
  double command = 0;        // ns: what a submission takes longer with a copy and its barrier, whatever its size
  double host_write = 0;     // ns a byte: the device writes Readback memory
  double copy_out = 0;       // ns a byte: it copies there from memory of its own
};

// Within bounds that keep a wrong measurement harmless; the limit for zeros is not over the one for given bytes.
// `heap_bytes`: of the heap that Near memory is in, which is small on some devices; many calls share it.
NearLimits near_limits(const NearCosts& costs, uint64_t heap_bytes);

}  // namespace kem::vulkan
