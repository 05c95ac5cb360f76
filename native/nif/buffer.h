// Resident buffers as Erlang sees them: a resource whose collection lets go of the engine's buffer.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/terms.h"

namespace kem::nif {

// Opens the resource type, taking it over from an older instance of the module; null if the VM refuses.
ErlNifResourceType* open_buffer_type(ErlNifEnv* env);

// A term that refers to the buffer; 0 if there is no memory for it.
ERL_NIF_TERM make_buffer_term(ErlNifEnv* env, ErlNifResourceType* type, core::BufferReference buffer);

bool is_buffer(ErlNifEnv* env, ErlNifResourceType* type, ERL_NIF_TERM term);
// InvalidArgument for another term, DeviceLost for a buffer of a build that has been replaced.
Result<core::BufferReference> decode_buffer(ErlNifEnv* env, ErlNifResourceType* type, ERL_NIF_TERM term,
                                            std::string_view what);

}  // namespace kem::nif
