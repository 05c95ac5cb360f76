// How every resource type of the library is opened.
#pragma once

#include <erl_nif.h>

namespace kem::nif {

// Within load or upgrade: opens the type or takes it over from an older instance of the module. Null if the VM refuses.
//
// One resource of the type is made and never released, so that the VM keeps the type, and the code of its callbacks,
// for good: where a resource goes on a thread that is no scheduler, its destructor is run later by a scheduler, and
// OTP 25 has been seen to free the type of a library that is unloaded meanwhile.
inline ErlNifResourceType* open_resource_type(ErlNifEnv* env, const char* name,
                                              const ErlNifResourceTypeInit& callbacks) {
  auto flags = static_cast<ErlNifResourceFlags>(ERL_NIF_RT_CREATE | ERL_NIF_RT_TAKEOVER);
  ErlNifResourceType* const type = enif_open_resource_type_x(env, name, &callbacks, flags, nullptr);
  if (type == nullptr || enif_alloc_resource(type, 1) == nullptr) return nullptr;
  return type;
}

}  // namespace kem::nif
