// A call's terms as a core::Job: the one place that checks what Erlang callers pass.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/atoms.h"
#include "nif/terms.h"

namespace kem::nif {

struct Request {
  core::Job job;                // spans point into `env`'s terms below
  ERL_NIF_TERM input = 0;       // the binary behind job.input
  ERL_NIF_TERM params = 0;      // the binary behind job.params, or 0
  ERL_NIF_TERM immediates = 0;  // the binary behind job.immediates, or 0
  bool report = false;          // the caller wants core::Report with the output
};

// A TXID (binary) or {source, Wgsl}.
Result<std::variant<core::KernelId, core::KernelText>> decode_kernel(ErlNifEnv* env, const Atoms& atoms,
                                                                     const Limits& limits, ERL_NIF_TERM kernel);

// Kernel: a TXID (binary) or {source, Wgsl}. Input: a binary. Options: a map, see kem:options() in src/kem.erl.
// Unknown options are errors. Everything refused here is InvalidArgument, but for kernel ids and sources that are
// too long to be copied (InvalidKernelId, KernelTooLarge).
Result<Request> decode_request(ErlNifEnv* env, const Atoms& atoms, const Limits& limits, ERL_NIF_TERM kernel,
                               ERL_NIF_TERM input, ERL_NIF_TERM options);

}  // namespace kem::nif
