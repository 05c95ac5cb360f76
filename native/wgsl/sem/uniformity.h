// Uniformity analysis (spec "Uniformity"): collective operations must be reached by all invocations together.
#pragma once

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"

namespace kem::wgsl::sem {

// Adds a diagnostic for each failure, of the severity that the rule's nearest filter asks for. Takes time linear in
// the module's size but for nesting, which the parser bounds.
void check_uniformity(const Info& info, Diagnostics& diagnostics);

}  // namespace kem::wgsl::sem
