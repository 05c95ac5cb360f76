#include "nif/output.h"

#include <chrono>
#include <new>
#include <utility>

#include "nif/job.h"
#include "nif/resource_type.h"

namespace kem::nif {

// Lives in the VM's memory, perhaps longer than the code that made it. Another build unmaps the pages: what it reads
// for that comes first and stays as it is.
struct OutputResource {
  const void* code;  // code_tag() of the library that made it
  Pages pages;
  size_t size;
  std::shared_ptr<PagePool> pool;
};

namespace {

// One result of the largest default size, as long as calls keep coming.
constexpr size_t kMostKept = size_t{1} << 28;
constexpr std::chrono::seconds kLongest{5};

// On whatever scheduler collects the garbage, or on a thread of the library.
void collect(ErlNifEnv*, void* object) {
  auto* output = static_cast<OutputResource*>(object);
  if (output->code != code_tag()) return output->pages.unmap();
  output->pool->give_back(output->pages);
  output->~OutputResource();
}

}  // namespace

void OutputReleaser::operator()(OutputResource* output) const { enif_release_resource(output); }

Outputs::Outputs() : pool_(std::make_shared<PagePool>(kMostKept, kLongest)) {}

ErlNifResourceType* Outputs::open_type(ErlNifEnv* env) {
  ErlNifResourceTypeInit callbacks{};
  callbacks.dtor = collect;
  return open_resource_type(env, "kem_output", callbacks);
}

Output Outputs::make(size_t bytes) const {
  const Pages pages = pool_->take(bytes);
  if (pages.data == nullptr) return nullptr;
  void* const memory = enif_alloc_resource(type_, sizeof(OutputResource));
  if (memory == nullptr) {
    pool_->give_back(pages);
    return nullptr;
  }
  return Output(new (memory) OutputResource{code_tag(), pages, bytes, pool_});
}

std::span<uint8_t> bytes_of(OutputResource& output) { return {output.pages.data, output.size}; }

ERL_NIF_TERM make_output_term(ErlNifEnv* env, OutputResource& output) {
  return enif_make_resource_binary(env, &output, output.pages.data, output.size);
}

}  // namespace kem::nif
