// Constant values: what const-expressions and override-expressions evaluate to. Immutable, arena-allocated.
#pragma once

#include <cstdint>
#include <span>

#include "wgsl/sem/type.h"

namespace kem::wgsl::sem {

// A value of a constructible or abstract type. Scalars hold their number; f32 and f16 are held as the double
// that equals them exactly. Composites hold one value per component (vector components, matrix columns, array
// elements, structure members), or none: then every component is the zero value of its type, so that
// array<u32, 1000000>() costs nothing.
struct Value {
  const Type* type;
  union {
    bool boolean;     // Bool
    int64_t integer;  // AbstractInt, I32, U32
    double real;      // AbstractFloat, F32, F16
  };
  std::span<const Value* const> components;

  bool is_zero_composite() const { return !type->is_scalar() && components.empty(); }
};

}  // namespace kem::wgsl::sem
