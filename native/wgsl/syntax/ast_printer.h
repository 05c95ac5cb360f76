// The AST as text, for golden tests: one s-expression a module, one line a declaration or statement.
#pragma once

#include <string>

#include "wgsl/syntax/ast.h"

namespace kem::wgsl::ast {

std::string print(const Module& module);
std::string print(const Expr& expression);

}  // namespace kem::wgsl::ast
