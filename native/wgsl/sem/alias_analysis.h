// Alias analysis (spec "Alias Analysis"): memory must not be reached through two names where one of them writes.
#pragma once

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"

namespace kem::wgsl::sem {

// Adds an error for each call whose pointer arguments alias each other, or a module-scope variable that the called
// function accesses itself.
void check_aliasing(const Info& info, Diagnostics& diagnostics);

}  // namespace kem::wgsl::sem
