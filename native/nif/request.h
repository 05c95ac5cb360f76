// A call's terms as a core::Job: the one place that checks what Erlang callers pass.
#pragma once

#include <erl_nif.h>

#include "core/core.h"
#include "nif/atoms.h"
#include "nif/terms.h"

namespace kem::nif {

// What decoding a call needs.
struct Decoder {
  ErlNifEnv* env;
  const Atoms& atoms;
  const Limits& limits;
  ErlNifResourceType* buffer_type;
};

struct Request {
  core::Job job;                        // spans point into `env`'s terms below
  ERL_NIF_TERM input = 0;               // the binary behind job.input
  ERL_NIF_TERM params = 0;              // the binary behind job.params, or 0
  ERL_NIF_TERM immediates = 0;          // the binary behind job.immediates, or 0
  core::BufferReference input_buffer;   // instead of job.input
  core::BufferReference output_buffer;  // instead of job.output
  ERL_NIF_TERM output = 0;              // the buffer's term, or 0
  bool report = false;                  // the caller wants core::Report with the output

  bool resident() const { return input_buffer || output_buffer; }
};

// Kernel: a TXID (binary) or {source, Wgsl}. Input: a binary or a buffer. Options: a map, see kem:options() in
// src/kem.erl. Unknown options are errors. Everything refused here is InvalidArgument, but for kernel ids and sources
// that are too long to be copied (InvalidKernelId, KernelTooLarge), and lost buffers (DeviceLost).
Result<Request> decode_request(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM input, ERL_NIF_TERM options);

// A step of a pipeline: a map. `kernel`, `entry_point` and `constants` are its terms for these, 0 where it has none; a
// step whose terms are those of an earlier one has its kernel, so job.kernel is left to decode_kernel().
struct StepRequest {
  Request request;
  ERL_NIF_TERM kernel = 0, entry_point = 0, constants = 0;
};
Result<StepRequest> decode_step(const Decoder& decoder, ERL_NIF_TERM step);
Result<std::variant<core::KernelId, core::KernelText>> decode_kernel(const Decoder& decoder, ERL_NIF_TERM kernel);

// A binary or a buffer.
Status decode_input(const Decoder& decoder, ERL_NIF_TERM term, Request& into);

// The options of a pipeline as a whole: of the request, those that concern it.
Result<Request> decode_pipeline_options(const Decoder& decoder, ERL_NIF_TERM options);
// Those of kem:run_many/3, with the kernel: a request without an input.
Result<Request> decode_many_options(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM options);

}  // namespace kem::nif
