// The kernels fetched last, in memory: the first of the sources.
#pragma once

#include <mutex>

#include "arweave/source.h"
#include "base/lru_cache.h"

namespace kem::arweave {

class MemorySource final : public KernelSource {
 public:
  explicit MemorySource(size_t most_bytes) : kernels_(most_bytes) {}

  Result<Kernel> fetch(std::string_view id, const std::atomic<bool>&) override {
    const std::lock_guard lock(mutex_);
    if (const Kernel* kernel = kernels_.find(id)) return *kernel;
    return fail(ErrorClass::KernelNotFound, "not in memory");
  }

  void learn(std::string_view id, const Kernel& kernel) override {
    const std::lock_guard lock(mutex_);
    kernels_.insert(std::string(id), kernel, kernel.source.size());
  }

 private:
  std::mutex mutex_;
  LruCache<Kernel> kernels_;
};

}  // namespace kem::arweave
