// Buffer types and their views (spec "Buffer Types", "Buffer View Built-in Functions"): the rules that shader creation
// and pipeline creation share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wgsl/sem/type.h"

namespace kem::wgsl::sem {

// MinTypeSize, ArrayOffset and the element stride of the runtime-sized array that `type` is or ends in. For a type
// of fixed footprint `stride` is 0.
struct ViewShape {
  uint64_t min_size = 0;
  uint64_t array_offset = 0;
  uint64_t stride = 0;
};
ViewShape view_shape(const Type* type);

// RequiredAlignOf(type, space). `standard_layout`: language extension uniform_buffer_standard_layout is available.
uint64_t required_align_of(const Type* type, AddressSpace space, bool standard_layout);

// What is known of a call of bufferView, or of bufferArrayView, which has a size.
struct ViewArguments {
  std::optional<uint64_t> buffer_bytes;  // of a fixed-size buffer
  std::optional<int64_t> offset;
  std::optional<int64_t> size;
  bool is_array_view = false;
};
// The message of the error that the arguments known so far are; empty if they are none.
std::string view_problem(const Type* type, uint64_t align, const ViewArguments& arguments);

}  // namespace kem::wgsl::sem
