#include "wgsl/glsl/names.h"

namespace kem::wgsl::glsl {
namespace {

constexpr size_t kMaxStem = 40;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void append_sanitized(std::string& out, std::string_view name) {
  const size_t begin = out.size();
  const auto stem = [&] { return std::string_view(out).substr(begin); };
  for (const char c : name) {
    if (out.size() - begin == kMaxStem) break;
    if (is_letter(c) || (is_digit(c) && out.size() != begin)) {
      out += c;
    } else if (out.size() != begin && out.back() != '_') {
      out += '_';
    }
  }
  while (out.size() != begin && out.back() == '_') out.pop_back();
  if (out.size() == begin) {
    out += 'v';
    return;
  }
  const bool reserved = stem().starts_with("gl_") || stem().starts_with("GL_") || stem().starts_with("kem_");
  if (reserved) out.insert(begin, 1, 'x');
}

}  // namespace kem::wgsl::glsl
