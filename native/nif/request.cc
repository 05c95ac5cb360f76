#include "nif/request.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kem::nif {
namespace {

constexpr uint64_t kMost32 = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();
constexpr size_t kLongestId = 256;                // enough to quote a wrong one back
constexpr uint64_t kLongestTimeout = 86'400'000;  // a day, in milliseconds

struct Decoding {
  ErlNifEnv* env;
  const Atoms& atoms;
  Request& request;
  bool hint_given = false;
  bool size_given = false;
};

Status output_size_hint(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(uint64_t ratio, decode_integer(d.env, value, "output_size_hint", 1, kMost64));
  d.request.job.output = core::OutputHint{ratio};
  d.hint_given = true;
  return {};
}

Status output_size(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(uint64_t bytes, decode_integer(d.env, value, "output_size", 1, kMost64));
  d.request.job.output = core::OutputBytes{bytes};
  d.size_given = true;
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
  return {};
}

Status constants(Decoding& d, ERL_NIF_TERM value) {
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

Status image(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.job.image, decode_bool(d.env, d.atoms, value, "image"));
  return {};
}

Status report(Decoding& d, ERL_NIF_TERM value) {
  KEM_TRY(d.request.report, decode_bool(d.env, d.atoms, value, "report"));
  return {};
}

struct Option {
  ERL_NIF_TERM Atoms::*key;
  Status (*decode)(Decoding&, ERL_NIF_TERM);
};

constexpr std::array kOptions{
    Option{&Atoms::output_size_hint, output_size_hint},
    Option{&Atoms::output_size, output_size},
    Option{&Atoms::dispatch, dispatch},
    Option{&Atoms::params, params},
    Option{&Atoms::immediates, immediates},
    Option{&Atoms::entry_point, entry_point},
    Option{&Atoms::constants, constants},
    Option{&Atoms::timeout, timeout},
    Option{&Atoms::image, image},
    Option{&Atoms::report, report},
};

Status decode_option(Decoding& d, ERL_NIF_TERM key, ERL_NIF_TERM value) {
  auto option = std::find_if(kOptions.begin(), kOptions.end(),
                             [&](const Option& o) { return enif_is_identical(d.atoms.*o.key, key); });
  if (option == kOptions.end()) return fail(ErrorClass::InvalidArgument, "unknown option " + key_text(d.env, key));
  return option->decode(d, value);
}

}  // namespace

Result<std::variant<core::KernelId, core::KernelText>> decode_kernel(ErlNifEnv* env, const Atoms& atoms,
                                                                     const Limits& limits, ERL_NIF_TERM kernel) {
  int arity = 0;
  const ERL_NIF_TERM* elements = nullptr;
  if (enif_get_tuple(env, kernel, &arity, &elements) && arity == 2 && enif_is_identical(elements[0], atoms.source)) {
    KEM_TRY(auto wgsl, decode_binary(env, elements[1], "source"));
    if (wgsl.size() > limits.source_bytes)
      return fail(ErrorClass::KernelTooLarge, "the source has " + std::to_string(wgsl.size()) +
                                                  " bytes, over the limit of " + std::to_string(limits.source_bytes));
    return core::KernelText{std::string(wgsl.begin(), wgsl.end())};
  }
  if (!enif_is_binary(env, kernel)) return wrong(env, kernel, "kernel", "a binary or {source, Binary}");
  KEM_TRY(auto txid, decode_binary(env, kernel, "kernel"));
  if (txid.size() > kLongestId)
    return fail(ErrorClass::InvalidKernelId, "a kernel id has 43 characters, got " + std::to_string(txid.size()));
  return core::KernelId{std::string(txid.begin(), txid.end())};
}

Result<Request> decode_request(ErlNifEnv* env, const Atoms& atoms, const Limits& limits, ERL_NIF_TERM kernel,
                               ERL_NIF_TERM input, ERL_NIF_TERM options) {
  Request request;
  Decoding d{env, atoms, request};
  KEM_TRY(request.job.kernel, decode_kernel(env, atoms, limits, kernel));
  KEM_TRY(request.job.input, decode_binary(env, input, "input"));
  request.input = input;
  KEM_CHECK(for_each_pair(env, options, "options",
                          [&d](ERL_NIF_TERM key, ERL_NIF_TERM value) { return decode_option(d, key, value); }));
  if (d.hint_given && d.size_given)
    return fail(ErrorClass::InvalidArgument, "'output_size' and 'output_size_hint' exclude each other");
  return request;
}

}  // namespace kem::nif
