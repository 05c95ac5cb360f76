// Text to tokens (spec "Tokens", "Comments", "Blankspace and Line Breaks").
#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "wgsl/syntax/token.h"

namespace kem::wgsl {

// The tokens of `source`, longest match first, ended by an End token. Text that is no token becomes an Error
// token and a diagnostic. Text that is not UTF-8, or holds U+0000, gives a diagnostic and an End token alone.
// '>' is not joined to what follows: find_template_lists does that.
std::vector<Token> lex(const Source& source, Diagnostics& diagnostics);

// Spec "Template Lists": marks the '<' and '>' that delimit template lists as TemplateStart and TemplateEnd, and
// joins the other '>' to '>=', '>>' and '>>='. Linear in the number of tokens.
void find_template_lists(std::vector<Token>& tokens);

}  // namespace kem::wgsl
