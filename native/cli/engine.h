// The engine as the program's commands use it: configured by the environment.
#pragma once

#include <memory>

#include "core/core.h"

namespace kem::cli {

// core::Config::from_environment, for one device, as programs end too soon to use more; where KEM_KERNEL_STORE is not
// set, the store is the directory `kernels` beside the build directory that the program lies in.
Result<core::Config> engine_config();
Result<std::unique_ptr<core::Engine>> make_engine();

}  // namespace kem::cli
