// Identifiers of the generated shader: WGSL names made fit for GLSL, each unique. Values end in _<number>, types in
// _t<number>, members in _m<number>, so that none is a keyword, a built-in name or a helper of ours.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/arena.h"
#include "wgsl/glsl/text.h"

namespace kem::wgsl::glsl {

// Letters and digits of a name, single underscores between them; at most 40 characters. "v" if nothing is left.
class Stem {
 public:
  explicit Stem(std::string_view name);
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 48> text_;
  size_t size_ = 0;
};
inline std::string sanitized(std::string_view name) { return std::string(Stem(name).view()); }

class Names {
 public:
  // "data" -> "data_1", "data_2" … in the order asked for. They live as long as this object.
  std::string_view value(std::string_view hint) { return unique(hint, "_"); }
  std::string_view type(std::string_view hint) { return unique(hint, "_t"); }
  static void append_member(Text& out, std::string_view hint, uint32_t index) {
    out += Stem(hint).view();
    out += "_m";
    out.number(index);
  }

 private:
  std::string_view unique(std::string_view hint, std::string_view mark);

  Arena memory_;
  std::pmr::unordered_map<std::string_view, uint32_t> counts_{memory_.resource()};  // of stems
};

}  // namespace kem::wgsl::glsl
