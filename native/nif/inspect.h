// What the front-end says of a kernel without running it.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/atoms.h"

namespace kem::nif {

// {ok, Map} with binary keys, as JSON has them: valid (true), diagnostics (warnings, rendered), origin, overrides,
// entry_points, each compute entry point with what it binds and needs, and the device's limits that it was held
// against. {error, Reason} for a kernel that is not valid or not to be had: fetching blocks the calling thread.
ERL_NIF_TERM inspect_kernel(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine,
                            const std::variant<core::KernelId, core::KernelText>& kernel);

}  // namespace kem::nif
