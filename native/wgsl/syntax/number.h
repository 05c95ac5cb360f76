// Numeric literals (spec "Numeric Literals"): how far one reaches, and what it is worth.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wgsl/syntax/ast.h"

namespace kem::wgsl {

// The length of the longest numeric literal at the front of `text`, 0 if there is none. Digit sequences that only
// a leading zero spoils (`012`, `01f`) count as literals here; decode_number refuses them.
size_t scan_number(std::string_view text);

struct Number {
  ast::LiteralKind kind = ast::LiteralKind::AbstractInt;
  int64_t int_value = 0;
  double float_value = 0;  // rounded to the kind's type, ties to even
  std::string error;       // empty if the literal is good
};

// Decodes a literal that scan_number has delimited.
Number decode_number(std::string_view literal);

}  // namespace kem::wgsl
