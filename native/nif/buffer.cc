#include "nif/buffer.h"

#include <new>
#include <utility>

#include "nif/job.h"
#include "nif/resource_type.h"

namespace kem::nif {
namespace {

// Lives in the VM's memory, perhaps longer than the code that made it: only that code touches the reference. (What a
// replaced build's buffers refer to is freed with its engine.)
struct BufferResource {
  const void* code;  // code_tag() of the library that made it: first, read before anything else is known of the rest
  core::BufferReference buffer;
};

// On whatever scheduler collects the garbage.
void collect(ErlNifEnv*, void* object) {
  auto* resource = static_cast<BufferResource*>(object);
  if (resource->code == code_tag()) resource->~BufferResource();
}

BufferResource* get(ErlNifEnv* env, ErlNifResourceType* type, ERL_NIF_TERM term) {
  void* object = nullptr;
  return enif_get_resource(env, term, type, &object) ? static_cast<BufferResource*>(object) : nullptr;
}

}  // namespace

ErlNifResourceType* open_buffer_type(ErlNifEnv* env) {
  ErlNifResourceTypeInit callbacks{};
  callbacks.dtor = collect;
  return open_resource_type(env, "kem_buffer", callbacks);
}

ERL_NIF_TERM make_buffer_term(ErlNifEnv* env, ErlNifResourceType* type, core::BufferReference buffer) {
  void* memory = enif_alloc_resource(type, sizeof(BufferResource));
  if (memory == nullptr) return 0;
  auto* resource = new (memory) BufferResource{code_tag(), std::move(buffer)};
  ERL_NIF_TERM term = enif_make_resource(env, resource);
  enif_release_resource(resource);
  return term;
}

bool is_buffer(ErlNifEnv* env, ErlNifResourceType* type, ERL_NIF_TERM term) { return get(env, type, term) != nullptr; }

Result<core::BufferReference> decode_buffer(ErlNifEnv* env, ErlNifResourceType* type, ERL_NIF_TERM term,
                                            std::string_view what) {
  const BufferResource* resource = get(env, type, term);
  if (resource == nullptr) return wrong(env, term, what, "a buffer of this library");
  if (resource->code != code_tag()) {
    return fail(ErrorClass::DeviceLost, "the buffer's memory has gone with the library that it was made by");
  }
  return resource->buffer;
}

}  // namespace kem::nif
