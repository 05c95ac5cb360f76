#include "wgsl/glsl/names.h"

#include <algorithm>

namespace kem::wgsl::glsl {
namespace {

constexpr size_t kMaxStem = 40;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string sanitized(std::string_view name) {
  std::string stem;
  stem.reserve(std::min(name.size(), kMaxStem) + 8);
  for (const char c : name) {
    if (stem.size() == kMaxStem) break;
    if (is_letter(c) || (is_digit(c) && !stem.empty())) {
      stem += c;
    } else if (!stem.empty() && stem.back() != '_') {
      stem += '_';
    }
  }
  while (!stem.empty() && stem.back() == '_') stem.pop_back();
  if (stem.empty()) return "v";
  const bool reserved = stem.starts_with("gl_") || stem.starts_with("GL_") || stem.starts_with("kem_");
  return reserved ? "x" + stem : stem;
}

}  // namespace kem::wgsl::glsl
