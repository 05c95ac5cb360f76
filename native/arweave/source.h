// One place that kernels come from. The fetcher asks its sources in order; each is a class of its own.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "arweave/arweave.h"
#include "base/result.h"

namespace kem::arweave {

// Thread-safe.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  // The id's syntax has been checked. KernelNotFound sends the fetcher on to the next source; every other error
  // ends the fetch.
  virtual Result<Kernel> fetch(std::string_view id, const std::atomic<bool>& cancelled) = 0;
  // Told of a kernel that a later source found.
  virtual void learn(std::string_view id, const Kernel& kernel) {
    static_cast<void>(id);
    static_cast<void>(kernel);
  }
};

// What every kernel must be whatever its source: not empty, at most Limits::source_bytes, UTF-8 without NUL.
// KernelTooLarge or InvalidKernel; the messages are to follow a colon.
Status check_content(std::string_view bytes, const Limits& limits);

}  // namespace kem::arweave
