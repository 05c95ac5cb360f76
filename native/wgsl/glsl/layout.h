// Where GLSL's std430 layout and WGSL's differ, structures get padding members (spec "Structure Member Layout";
// OpenGL 4.6 section 7.6.2.2). Padding can be needed only where @align or @size say more than the type does.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "wgsl/sem/type.h"

namespace kem::wgsl::glsl {

// Padding in front of a member, or at the end: so many bytes, a multiple of 2. `at` is its offset.
struct Padding {
  uint64_t at = 0;
  uint64_t bytes = 0;
};

// Answers about types, each structure looked at once: types can share parts so often that a plain walk over all
// of a type's components would not end.
class Layouts {
 public:
  // One entry for each member, then one for the end. Zero bytes: no padding there.
  const std::vector<Padding>& padding_of(const sem::Struct* type) { return layout(type).padding; }
  // Whether `type`'s GLSL form in a buffer has padding members, at any depth.
  bool has_padding(const sem::Type* type);
  // Scalars in a value of the type; saturates at 2^40. A runtime-sized array counts none.
  uint64_t scalar_count(const sem::Type* type);

 private:
  struct StructLayout {
    std::vector<Padding> padding;
    uint64_t std430_align = 1;  // base alignment of the GLSL form, padding members included
    bool has_padding = false;   // at any depth
    uint64_t scalars = 0;
  };
  const StructLayout& layout(const sem::Struct* type);
  uint64_t std430_align(const sem::Type* type);

  std::unordered_map<const sem::Struct*, StructLayout> layouts_;
};

}  // namespace kem::wgsl::glsl
