// The parts of `kem bench`, one file each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_rows.h"

namespace kem::cli {

// WGSL to validated SPIR-V: a kernel of thirty lines and modules of growing size or, if there are any, these files.
Result<std::vector<BenchRow>> bench_compile(const std::vector<std::string>& files, uint64_t rounds);

}  // namespace kem::cli
