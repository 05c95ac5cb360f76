// Typed decoding and encoding of Erlang terms. A decoder that refuses a term says what it wanted and what it
// got, as InvalidArgument: the message reaches the caller. Environments are the caller's to keep.
#pragma once

#include <erl_nif.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "nif/atoms.h"

namespace kem::nif {

// A process-independent environment, freed with its owner. May be freed on any thread.
struct EnvDeleter {
  void operator()(ErlNifEnv* env) const { enif_free_env(env); }
};
using Env = std::unique_ptr<ErlNifEnv, EnvDeleter>;
inline Env make_env() { return Env(enif_alloc_env()); }

// "an atom (foo)", "a list", "the integer -3": for messages. Never prints contents of unbounded size.
std::string describe(ErlNifEnv* env, ERL_NIF_TERM term);

// InvalidArgument "'what' must be `wanted`, got ...".
tl::unexpected<Error> wrong(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what, std::string_view wanted);

// The bytes stay valid as long as `term` does in `env`.
Result<std::span<const uint8_t>> decode_binary(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what);
// A binary, a string (list of code points) or an atom, as UTF-8.
Result<std::string> decode_text(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what);
Result<uint64_t> decode_integer(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what, uint64_t least,
                                uint64_t most);
Result<double> decode_number(ErlNifEnv* env, ERL_NIF_TERM term, std::string_view what);
Result<bool> decode_bool(ErlNifEnv* env, const Atoms& atoms, ERL_NIF_TERM term, std::string_view what);

// The atom's or binary's text, for naming a map's key in a message.
std::string key_text(ErlNifEnv* env, ERL_NIF_TERM key);

ERL_NIF_TERM encode_binary(ErlNifEnv* env, std::string_view bytes);
// {error, {Class, Message}}, or {error, busy}: what the Erlang API returns.
ERL_NIF_TERM encode_error(ErlNifEnv* env, const Atoms& atoms, const Error& error);

// Calls each(key, value) -> Status for every pair of a map; the first error ends the walk. Keys of a map that
// is no map: InvalidArgument.
template <class Each>
Status for_each_pair(ErlNifEnv* env, ERL_NIF_TERM map, std::string_view what, Each each) {
  ErlNifMapIterator iterator;
  if (!enif_map_iterator_create(env, map, &iterator, ERL_NIF_MAP_ITERATOR_FIRST)) return wrong(env, map, what, "a map");
  Status status;
  ERL_NIF_TERM key = 0;
  ERL_NIF_TERM value = 0;
  while (status && enif_map_iterator_get_pair(env, &iterator, &key, &value)) {
    status = each(key, value);
    enif_map_iterator_next(env, &iterator);
  }
  enif_map_iterator_destroy(env, &iterator);
  return status;
}

}  // namespace kem::nif
