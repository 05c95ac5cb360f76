// UTF-8 and the Unicode 14.0.0 properties that the specification uses (sections "Textual Structure",
// "Blankspace and Line Breaks", "Identifiers").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kem::wgsl {

struct CodePoint {
  char32_t value = 0;
  uint32_t length = 0;  // bytes; 0 if the bytes are not UTF-8
};

// Decodes the code point at the front of `text`, which is not empty. Overlong forms, surrogates and values over
// U+10FFFF are not UTF-8.
CodePoint decode_utf8(std::string_view text);

// The offset of the first byte that is not part of valid UTF-8.
std::optional<size_t> find_invalid_utf8(std::string_view text);

struct CodePointRange {
  char32_t first;
  char32_t last;
};

// Sorted ranges above ASCII (unicode_tables.cc).
std::span<const CodePointRange> xid_start_ranges();
std::span<const CodePointRange> xid_continue_ranges();

bool is_xid_start(char32_t c);
bool is_xid_continue(char32_t c);

// Pattern_White_Space, ASCII included.
bool is_blankspace(char32_t c);
bool is_line_break(char32_t c);

}  // namespace kem::wgsl
