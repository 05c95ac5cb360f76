// Large results: memory of the library's own, which a device can write to in place and which Erlang gets as a binary
// without a copy.
#pragma once

#include <erl_nif.h>

#include <atomic>
#include <memory>

#include "base/page_pool.h"

namespace kem::nif {

struct OutputResource;
struct OutputReleaser {
  void operator()(OutputResource* output) const;
};
using Output = std::unique_ptr<OutputResource, OutputReleaser>;

// Makes them. Thread-safe.
class Outputs {
 public:
  Outputs();
  ~Outputs() { pool_->close(); }
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  // Opens the resource type, taking it over from an older instance of the module; null if the VM refuses.
  static ErlNifResourceType* open_type(ErlNifEnv* env);
  void set_type(ErlNifResourceType* type) { type_ = type; }

  // Null if there is no memory. Of any content: Erlang may get it only when all of it has been overwritten.
  Output make(size_t bytes, PageContent content) const;

 private:
  std::atomic<ErlNifResourceType*> type_{};
  std::shared_ptr<PagePool> pool_;  // outlives the library as long as a binary does
};

// Its memory, from the begin on: up to the end it is nobody else's.
const Pages& pages_of(const OutputResource& output);

// The bytes as a binary, which keeps them.
ERL_NIF_TERM make_output_term(ErlNifEnv* env, OutputResource& output);

}  // namespace kem::nif
