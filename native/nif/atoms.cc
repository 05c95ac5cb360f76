#include "nif/atoms.h"

#include <string_view>

namespace kem::nif {
namespace {

ERL_NIF_TERM make(ErlNifEnv* env, std::string_view text) { return enif_make_atom_len(env, text.data(), text.size()); }

}  // namespace

Atoms::Atoms(ErlNifEnv* env)
    :
#define KEM_ATOM_INIT_1(id) id(make(env, #id)),
#define KEM_ATOM_INIT_2(id, text) id(make(env, text)),
#define KEM_ATOM_INIT(...) KEM_ATOM_PICK(__VA_ARGS__, KEM_ATOM_INIT_2, KEM_ATOM_INIT_1, )(__VA_ARGS__)
      KEM_ATOMS(KEM_ATOM_INIT) classes_{
#define KEM_ROW(id, name, http) make(env, name),
          KEM_ERROR_CLASSES(KEM_ROW)
#undef KEM_ROW
      } {
}

}  // namespace kem::nif
