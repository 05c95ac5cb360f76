// Where GLSL's std430 layout and WGSL's differ, structures get padding members (spec "Structure Member Layout";
// OpenGL 4.6 section 7.6.2.2). Padding can be needed only where @align or @size say more than the type does.
#pragma once

#include <cstdint>
#include <vector>

#include "wgsl/sem/type.h"

namespace kem::wgsl::glsl {

// Padding in front of a member, or at the end: so many bytes, a multiple of 2. `at` is its offset.
struct Padding {
  uint64_t at = 0;
  uint64_t bytes = 0;
};

// One entry for each member, then one for the end. Zero bytes: no padding there.
std::vector<Padding> padding_of(const sem::Struct* type);

// Whether `type`'s GLSL form in a buffer has padding members, at any depth.
bool has_padding(const sem::Type* type);

}  // namespace kem::wgsl::glsl
