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

inline constexpr Validator kValidators[] = {
    validate_behavior,
};

}  // namespace kem::wgsl::sem
