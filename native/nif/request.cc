#include "nif/request.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "nif/buffer.h"

namespace kem::nif {
namespace {

constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();
constexpr size_t kLongestId = 256;                // enough to quote a wrong one back
constexpr uint64_t kLongestTimeout = 86'400'000;  // a day, in milliseconds

struct Decoding {
  const Decoder& decoder;
  ErlNifEnv* env;
  const Atoms& atoms;
  Request& request;
  ERL_NIF_TERM kernel = 0, entry_point = 0, constants = 0;
  int output_options = 0;  // that were given

  Decoding(const Decoder& with, Request& into) : decoder(with), env(with.env), atoms(with.atoms), request(into) {}
};

Status output_size_hint(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(uint64_t ratio, decode_integer(d.env, value, "output_size_hint", 1, kMost64));
  d.request.job.output = core::OutputHint{ratio};
  ++d.output_options;
  return {};
}

Status output_size(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(uint64_t bytes, decode_integer(d.env, value, "output_size", 1, kMost64));
  d.request.job.output = core::OutputBytes{bytes};
  ++d.output_options;
  return {};
}

Status output(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.output_buffer, decode_buffer(d.env, d.decoder.buffer_type, value, "output"));
  d.request.output = value;
  ++d.output_options;
  return {};
}

Status input(Decoding& d, ERL_NIF_TERM value) { return decode_input(d.decoder, value, d.request); }

Status kernel(Decoding& d, ERL_NIF_TERM value) {
  d.kernel = value;
  return {};
}

Status dispatch(Decoding& d, ERL_NIF_TERM value) {
  if (enif_is_identical(value, d.atoms.linear)) {
    d.request.job.dispatch = core::DispatchLinear{};
    return {};
  }
  if (enif_is_identical(value, d.atoms.grid)) {
    d.request.job.dispatch = core::DispatchGrid{};
    return {};
  }
  int arity = 0;
  const ERL_NIF_TERM* elements = nullptr;
  if (!enif_get_tuple(d.env, value, &arity, &elements) || arity != 3)
    return wrong(d.env, value, "dispatch", "linear, grid or {X, Y, Z} workgroups");
  core::DispatchWorkgroups workgroups;
  for (size_t i = 0; i < 3; ++i) {
    KEM_TRY(workgroups.count[i], decode_integer(d.env, elements[i], "dispatch", 1, kMost32));
  }
  d.request.job.dispatch = workgroups;
  return {};
}

Status params(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.params, decode_binary(d.env, value, "params"));
  d.request.params = value;
  return {};
}

Status immediates(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.immediates, decode_binary(d.env, value, "immediates"));
  d.request.immediates = value;
  return {};
}

Status entry_point(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.entry_point, decode_text(d.env, value, "entry_point"));
  d.entry_point = value;
  return {};
}

Status constants(Decoding& d, ERL_NIF_TERM value) {
  d.constants = value;
  return for_each_pair(d.env, value, "constants", [&d](ERL_NIF_TERM key, ERL_NIF_TERM number) -> Status {
    wgsl::Constant constant;
    KEM_TRY(constant.key, decode_text(d.env, key, "constants' key"));
    KEM_TRY(constant.value, decode_number(d.env, number, "constants' value"));
    d.request.job.constants.push_back(std::move(constant));
    return {};
  });
}

Status timeout(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(uint64_t milliseconds, decode_integer(d.env, value, "timeout", 1, kLongestTimeout));
  d.request.job.time_limit = std::chrono::milliseconds(milliseconds);
  return {};
}

Status device(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.device, decode_integer(d.env, value, "device", 0, kMost32));
  return {};
}

Status image(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.image, decode_bool(d.env, d.atoms, value, "image"));
  return {};
}

Status report(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.report, decode_bool(d.env, d.atoms, value, "report"));
  return {};
}

// What an option may be given to.
enum Place : unsigned { kCall = 1, kStep = 2, kMany = 4, kPipeline = 8, kEach = kCall | kStep | kMany };

struct Option {
  ERL_NIF_TERM Atoms::*key;
  unsigned places;
  Status (*decode)(Decoding&, ERL_NIF_TERM);
};

constexpr std::array kOptions{
    Option{&Atoms::output_size_hint, kEach, output_size_hint},
    Option{&Atoms::output_size, kEach, output_size},
    Option{&Atoms::dispatch, kEach, dispatch},
    Option{&Atoms::params, kEach, params},
    Option{&Atoms::immediates, kEach, immediates},
    Option{&Atoms::entry_point, kEach, entry_point},
    Option{&Atoms::constants, kEach, constants},
    Option{&Atoms::output, kCall | kStep, output},
    Option{&Atoms::input, kStep, input},
    Option{&Atoms::kernel, kStep, kernel},
    Option{&Atoms::timeout, kCall | kMany | kPipeline, timeout},
    Option{&Atoms::report, kCall | kMany | kPipeline, report},
    Option{&Atoms::device, kCall | kMany | kPipeline, device},
    Option{&Atoms::image, kCall, image},
};

Status decode_option(Decoding& d, Place place, ERL_NIF_TERM key, ERL_NIF_TERM value) {
  auto option = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& o) {
    return (o.places & place) != 0 && enif_is_identical(d.atoms.*o.key, key);
  });
  if (option == kOptions.end()) return fail(ErrorClass::InvalidArgument, "unknown option " + key_text(d.env, key));
  return option->decode(d, value);
}

Status decode_options(Decoding& d, Place place, ERL_NIF_TERM options) {
  KEM_CHECK(for_each_pair(d.env, options, place == kStep ? "step" : "options",
                          [&](ERL_NIF_TERM key, ERL_NIF_TERM value) { return decode_option(d, place, key, value); }));
  if (d.output_options > 1) {
    return fail(ErrorClass::InvalidArgument, "'output', 'output_size' and 'output_size_hint' exclude each other");
  }
  if (d.request.job.image && d.request.resident()) {
    return fail(ErrorClass::InvalidArgument, "'image' needs a binary as input and as output");
  }
  return {};
}

}  // namespace

Result<std::variant<core::KernelId, core::KernelText>> decode_kernel(const Decoder& decoder, ERL_NIF_TERM kernel) {
  ErlNifEnv* env = decoder.env;
  int arity = 0;
  const ERL_NIF_TERM* elements = nullptr;
  if (enif_get_tuple(env, kernel, &arity, &elements) && arity == 2 &&
      enif_is_identical(elements[0], decoder.atoms.source)) {
    KEM_TRY(auto wgsl, decode_binary(env, elements[1], "source"));
    if (const size_t limit = decoder.limits.source_bytes; wgsl.size() > limit)
      return fail(ErrorClass::KernelTooLarge, "the source has " + std::to_string(wgsl.size()) +
                                                  " bytes, over the limit of " + std::to_string(limit));
    return core::KernelText{std::string(wgsl.begin(), wgsl.end())};
  }
  if (!enif_is_binary(env, kernel)) return wrong(env, kernel, "kernel", "a binary or {source, Binary}");
  KEM_TRY(auto txid, decode_binary(env, kernel, "kernel"));
  if (txid.size() > kLongestId)
    return fail(ErrorClass::InvalidKernelId, "a kernel id has 43 characters, got " + std::to_string(txid.size()));
  return core::KernelId{std::string(txid.begin(), txid.end())};
}

Status decode_input(const Decoder& decoder, ERL_NIF_TERM term, Request& into) {
  if (is_buffer(decoder.env, decoder.buffer_type, term)) {
    KEM_TRY(into.input_buffer, decode_buffer(decoder.env, decoder.buffer_type, term, "input"));
    return {};
  }
  if (!enif_is_binary(decoder.env, term))
    return wrong(decoder.env, term, "input", "a binary or a buffer of this library");
  KEM_TRY(into.job.input, decode_binary(decoder.env, term, "input"));
  into.input = term;
  return {};
}

Result<Request> decode_request(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM input, ERL_NIF_TERM options) {
  Request request;
  KEM_TRY(request.job.kernel, decode_kernel(decoder, kernel));
  KEM_CHECK(decode_input(decoder, input, request));
  Decoding d(decoder, request);
  KEM_CHECK(decode_options(d, kCall, options));
  return request;
}

Result<StepRequest> decode_step(const Decoder& decoder, ERL_NIF_TERM step) {
  StepRequest result;
  Decoding d(decoder, result.request);
  KEM_CHECK(decode_options(d, kStep, step));
  if (d.kernel == 0) return fail(ErrorClass::InvalidArgument, "a step has no kernel");
  result.kernel = d.kernel;
  result.entry_point = d.entry_point;
  result.constants = d.constants;
  return result;
}

Result<Request> decode_pipeline_options(const Decoder& decoder, ERL_NIF_TERM options) {
  Request request;
  Decoding d(decoder, request);
  KEM_CHECK(decode_options(d, kPipeline, options));
  return request;
}

Result<Request> decode_many_options(const Decoder& decoder, ERL_NIF_TERM kernel, ERL_NIF_TERM options) {
  Request request;
  KEM_TRY(request.job.kernel, decode_kernel(decoder, kernel));
  Decoding d(decoder, request);
  KEM_CHECK(decode_options(d, kMany, options));
  return request;
}

}  // namespace kem::nif
