#include "nif/output.h"

#include <sys/mman.h>

#include <chrono>
#include <new>
#include <utility>

#include "nif/job.h"
#include "nif/resource_type.h"

namespace kem::nif {

// Lives in the VM's memory, perhaps longer than the code that made it. Another build unmaps the pages: what it reads
// for that comes first and stays as it is. It leaves `pages` alone, which so are never unmapped a second time, whoever
// else refers to them.
struct OutputResource {
  const void* code;  // code_tag() of the library that made it
  uint8_t* data;     // of the pages
  size_t mapped;
  size_t size;
  std::shared_ptr<PagePool> pool;
  std::shared_ptr<Pages> pages;
};

namespace {

// Two results of the largest default size, as long as calls keep coming: Erlang often collects two at once.
constexpr size_t kMostKept = size_t{2} << 28;
constexpr std::chrono::seconds kLongest{5};

// On whatever scheduler collects the garbage, or on a thread of the library.
void collect(ErlNifEnv*, void* object) {
  auto* output = static_cast<OutputResource*>(object);
  if (output->code != code_tag()) {
    munmap(output->data, output->mapped);
    return;
  }
  output->pool->give_back(std::move(output->pages));
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

Output Outputs::make(size_t bytes, PageContent content) const {
  std::shared_ptr<Pages> pages = pool_->take(bytes, content);
  if (pages == nullptr) return nullptr;
  void* const memory = enif_alloc_resource(type_, sizeof(OutputResource));
  if (memory == nullptr) {
    pool_->give_back(std::move(pages));
    return nullptr;
  }
  Pages& own = *pages;
  return Output(new (memory) OutputResource{code_tag(), own.data(), own.size(), bytes, pool_, std::move(pages)});
}

const Pages& pages_of(const OutputResource& output) { return *output.pages; }

ERL_NIF_TERM make_output_term(ErlNifEnv* env, OutputResource& output) {
  return enif_make_resource_binary(env, &output, output.data, output.size);
}

}  // namespace kem::nif
