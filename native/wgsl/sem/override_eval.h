// Pipeline creation's part of evaluation: values for the overrides (WebGPU GPUProgrammableStage "constants"; spec
// "override Declarations", "override Expressions").
#pragma once

#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "wgsl/sem/const_eval.h"
#include "wgsl/sem/program.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl::sem {

using OverrideValues = std::unordered_map<const Variable*, const Value*>;

// The value of an override- or const-expression, of the type that its context uses it as. The error is the message
// of a pipeline-creation error at the expression. Every override that evaluation meets must be in `values`.
Evaluated evaluate(const ast::Expr* expression, const Info& info, ConstEval& eval, const OverrideValues& values);

// Values for the overrides: of `constants` by name or, where the override has an @id, by that decimal number; else
// the default. Only the overrides that `entry_point` statically uses need a value; others have one if they can.
// Errors: InvalidArgument for a key that names no override, one given twice, a value that is not finite or out of
// the type's range, or a missing value; InvalidKernel, with a diagnostic added, where evaluating a default fails.
Result<OverrideValues> bind_overrides(const Info& info, const Function& entry_point,
                                      const std::vector<Constant>& constants, ConstEval& eval,
                                      Diagnostics& diagnostics);

}  // namespace kem::wgsl::sem
