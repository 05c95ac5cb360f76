// The parts of `kem bench`, one file each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_rows.h"

namespace kem::cli {

// WGSL to validated SPIR-V: a kernel of thirty lines and modules of growing size or, if there are any, these files.
// With `entry`, that entry point of theirs, else the first compute entry point.
Result<std::vector<BenchRow>> bench_compile(const std::vector<std::string>& files,
                                            const std::optional<std::string>& entry, uint64_t rounds);
// The same of one module of so many KiB.
Result<std::vector<BenchRow>> bench_compile(size_t kib, uint64_t rounds);

// Shader creation alone, of these files.
Result<std::vector<BenchRow>> bench_check(const std::vector<std::string>& files, uint64_t rounds);

// Kernels that are all loop, with their iterations counted and not, on the device.
Result<std::vector<BenchRow>> bench_loops(uint64_t rounds);

}  // namespace kem::cli
