// Identifiers of the generated shader: WGSL names made fit for GLSL, each unique. Values end in _<number>, types in
// _t<number>, members in _m<number>, so that none is a keyword, a built-in name or a helper of ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kem::wgsl::glsl {

// Letters and digits of `name`, single underscores between them; at most 40 characters. "v" if nothing is left.
void append_sanitized(std::string& out, std::string_view name);
inline std::string sanitized(std::string_view name) {
  std::string text;
  append_sanitized(text, name);
  return text;
}

class Names {
 public:
  // "data" -> "data_1", "data_2" … in the order asked for.
  std::string value(std::string_view hint) { return unique(sanitized(hint), "_"); }
  std::string type(std::string_view hint) { return unique(sanitized(hint), "_t"); }
  static std::string member(std::string_view hint, uint32_t index) {
    std::string text;
    append_member(text, hint, index);
    return text;
  }
  static void append_member(std::string& out, std::string_view hint, uint32_t index) {
    append_sanitized(out, hint);
    out.append("_m", 2);
    out += std::to_string(index);
  }

 private:
  std::string unique(std::string stem, std::string_view mark) {
    const uint32_t number = ++counts_[stem];
    stem += mark;
    stem += std::to_string(number);
    return stem;
  }
  std::unordered_map<std::string, uint32_t> counts_;
};

}  // namespace kem::wgsl::glsl
