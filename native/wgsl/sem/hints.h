// Notes that say how to mend what a diagnostic is about. They never decide whether something is an error.
#pragma once

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// `given` stands where `wanted` is expected.
void hint_conversion(Diagnostic& diagnostic, Span span, const Type* given, const Type* wanted);

// A condition of this type stands where bool is expected.
void hint_condition(Diagnostic& diagnostic, Span span, const Type* given);

// An expression whose memory cannot be loaded as a value.
void hint_load(Diagnostic& diagnostic, const ast::Expr& e, const Type* store);

// The variable at the root of a memory view, or the value that is no variable, cannot be written.
void hint_write(Diagnostic& diagnostic, const ast::Expr& e, const Info& info);

// Operands for which an operator has no overload. True if the notes make a list of the overloads superfluous.
bool hint_operand(Diagnostic& diagnostic, const ast::Unary& e, const Type* operand);
bool hint_operands(Diagnostic& diagnostic, const ast::Binary& e, const Type* left, const Type* right);

}  // namespace kem::wgsl::sem
