// The library's configuration from terms. What overrules what is decided by src/kem_config.erl; the variables'
// meaning by core::Config.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/terms.h"

namespace kem::nif {

// `variables`: a map from the name of an environment variable to its value, both binaries; a KEM_ variable that
// core::Config does not know is InvalidArgument. `default_store`: a path, used where there is no KEM_KERNEL_STORE.
Result<core::Config> decode_config(ErlNifEnv* env, ERL_NIF_TERM variables, ERL_NIF_TERM default_store);

}  // namespace kem::nif
