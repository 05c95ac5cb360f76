// Text to AST: lexer, template list discovery, recursive-descent parser.
#pragma once

#include <memory>

#include "base/diagnostic.h"
#include "base/limits.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl {

// Parses the whole grammar (spec appendix "Grammar"). After a syntax error it resynchronises at the next
// statement or declaration, so several errors are reported. Returns null if `diagnostics` holds an error
// afterwards. The module's names are views into `source`, which must outlive it.
//
// Bounds, each a diagnostic when crossed: Limits::source_bytes; blocks nest Limits::nesting_depth deep within a
// function's body; expressions nest kMaxExpressionHeight deep (parentheses, arguments, operators alike), so no
// expression tree is higher. Time and memory are linear in the length of the source.
//
// Grammar that the resolver need not check again: where attributes may stand at all (not on const, alias,
// struct, const_assert and most statements), how many arguments they take, `continuing` and `break if` in place.
// Reserved words and the spelling of names are checked here, too.
std::unique_ptr<const ast::Module> parse(const Source& source, const Limits& limits, Diagnostics& diagnostics);

}  // namespace kem::wgsl
