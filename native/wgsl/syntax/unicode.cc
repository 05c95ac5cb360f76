#include "wgsl/syntax/unicode.h"

#include <algorithm>
#include <cstring>

namespace kem::wgsl {
namespace {

bool contains(std::span<const CodePointRange> ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t value, const CodePointRange& r) { return value < r.first; });
  return after != ranges.begin() && c <= (after - 1)->last;
}

bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, length};
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    uint64_t block = 0;
    if (text.size() - i >= sizeof(block)) {
      std::memcpy(&block, text.data() + i, sizeof(block));
      if ((block & 0x8080808080808080u) == 0) {  // eight ASCII bytes
        i += sizeof(block);
        continue;
      }
    }
    const CodePoint c = decode_utf8(text.substr(i));
    if (c.length == 0) return i;
    i += c.length;
  }
  return std::nullopt;
}

bool is_xid_start(char32_t c) { return c < 0x80 ? is_ascii_letter(c) : contains(xid_start_ranges(), c); }

bool is_xid_continue(char32_t c) {
  return c < 0x80 ? is_ascii_letter(c) || is_ascii_digit(c) || c == '_' : contains(xid_continue_ranges(), c);
}

bool is_blankspace(char32_t c) { return c == ' ' || c == '\t' || is_line_break(c) || c == 0x200E || c == 0x200F; }

bool is_line_break(char32_t c) { return (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029; }

}  // namespace kem::wgsl
