// Words of other shading and programming languages, and what WGSL has in their place: notes for diagnostics.
#pragma once

#include <string_view>

namespace kem::wgsl {

// What to write for a word that is no name in WGSL, as a note's text; "" if nothing is known of it.
std::string_view foreign_word(std::string_view word);

// The word names a type in C, GLSL, HLSL, Metal or Rust.
bool is_foreign_type(std::string_view word);

}  // namespace kem::wgsl
