// Kernels that a gateway gave, on disk: they survive restarts and are shared by processes.
#pragma once

#include "arweave/source.h"
#include "base/disk_cache.h"

namespace kem::arweave {

class DiskSource final : public KernelSource {
 public:
  DiskSource(std::filesystem::path directory, uint64_t most_bytes, Limits limits)
      : cache_(std::move(directory), most_bytes), limits_(limits) {}

  Result<Kernel> fetch(std::string_view id, const std::atomic<bool>&) override {
    auto bytes = cache_.get(id);
    if (!bytes) return fail(ErrorClass::KernelNotFound, "not in the disk cache");
    // The digest tells that the bytes are those written, not that they were written by this version's rules.
    if (!check_content(*bytes, limits_)) {
      cache_.drop(id);
      return fail(ErrorClass::KernelNotFound, "not usable in the disk cache");
    }
    return Kernel{std::move(*bytes), "cache"};
  }

  void learn(std::string_view id, const Kernel& kernel) override { cache_.put(id, kernel.source); }

 private:
  DiskCache cache_;
  const Limits limits_;
};

}  // namespace kem::arweave
