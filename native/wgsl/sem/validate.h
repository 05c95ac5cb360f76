// Checks over a whole resolved module. Each adds a diagnostic for every error; compile() runs them in the order
// of the list, all of them unless one has found errors.
#pragma once

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"
#include "wgsl/syntax/ast.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl::sem {

using Validator = void (*)(const ast::Module& module, const Info& info, Diagnostics& diagnostics);

// Spec "Statements Behavior Analysis".
void validate_behavior(const ast::Module& module, const Info& info, Diagnostics& diagnostics);

// Spec "Alias Analysis": memory must not be reached through two names where one of them writes. An error for each
// call whose pointer arguments alias each other, or a module-scope variable that the called function accesses itself.
void validate_aliasing(const ast::Module& module, const Info& info, Diagnostics& diagnostics);

// Spec "Uniformity": collective operations must be reached by all invocations together. A diagnostic for each
// failure, of the severity that the rule's nearest filter asks for. Takes time linear in the module's size but for
// nesting, which the parser bounds.
void validate_uniformity(const ast::Module& module, const Info& info, Diagnostics& diagnostics);

inline constexpr Validator kValidators[] = {
    validate_behavior,
    validate_aliasing,
    validate_uniformity,
};

}  // namespace kem::wgsl::sem
