// Text to tokens (spec "Tokens", "Comments", "Blankspace and Line Breaks").
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "wgsl/syntax/token.h"

namespace kem::wgsl {

// The tokens of `source`, ended by an End token: the longest that the grammar allows at their place, but for `--` and
// `&&`, which the parser takes apart. The '<' and '>' of template lists are TemplateStart and TemplateEnd (spec
// "Template Lists"). Text that is no token becomes an Error token and a diagnostic. Text that is not UTF-8, or holds
// U+0000, gives a diagnostic and an End token alone.
std::vector<Token> lex(const Source& source, Diagnostics& diagnostics);

}  // namespace kem::wgsl
