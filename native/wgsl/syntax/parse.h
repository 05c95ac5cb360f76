// Text to AST: lexer, template list discovery, recursive-descent parser.
#pragma once

#include <memory>

#include "base/diagnostic.h"
#include "base/limits.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl {

// Parses the whole grammar (spec appendix "Grammar"). After a syntax error it resynchronises at the next
// statement or declaration, so several errors are reported. Returns null if any error was added. The module's
// names are views into `source`, which must outlive it. Never recurses deeper than Limits::nesting_depth allows.
std::unique_ptr<const ast::Module> parse(const Source& source, const Limits& limits, Diagnostics& diagnostics);

}  // namespace kem::wgsl
