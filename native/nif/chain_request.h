// Several calls' terms as a core::Chain: kem:pipeline/2, kem:run_many/3, and single calls that use resident buffers.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/request.h"
#include "nif/terms.h"

namespace kem::nif {

struct ChainRequest {
  core::Chain chain;       // spans point into `terms`
  Env terms;               // the binaries that the chain reads
  ERL_NIF_TERM value = 0;  // of `terms`: the output buffer of a single call, which is its result; 0: binaries are
  bool single = false;     // the result is one output, not a list
  bool report = false;
};

// How many terms for steps there are, however often each runs: what decoding takes. Stops counting past `most`.
size_t count_steps(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM steps, size_t most);

// Steps: a list of maps and {repeat, Count, Steps}. InvalidArgument, and what decode_request fails with.
Result<ChainRequest> decode_pipeline(const Decoder& decoder, ERL_NIF_TERM steps, ERL_NIF_TERM options);

// Inputs: a list of binaries and buffers, each for a step of its own that needs nothing of the others.
Result<ChainRequest> decode_many(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM inputs,
                                 ERL_NIF_TERM options);

// A single call that uses buffers (Request::resident()).
Result<ChainRequest> chain_of(const Decoder& decoder, Request request);

}  // namespace kem::nif
