// What a GLSL text would cost glslang, estimated before it is asked.
#pragma once

#include <cstddef>
#include <string_view>

namespace kem::spirv {

struct Shape {
  size_t expression_levels = 0;  // depth of the deepest expression's tree, never less than the true one
  size_t functions = 0;          // blocks outside of any other: functions, structures, buffers
  size_t literals = 0;           // numeric literals, each spelling once
  size_t branches = 0;           // words and operators that make basic blocks: if, case, break, && and so on
};

// One pass over the text, which need not be valid.
Shape measure_shape(std::string_view glsl);

}  // namespace kem::spirv
