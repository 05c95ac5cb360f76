// From a kernel's TXID to its source: a chain of sources (disk cache, local kernel store, gateways), the same
// code path for each. The only user of libcurl.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace kem::arweave {

// 43 base64url characters whose last one leaves no stray bits: 32 bytes. InvalidKernelId otherwise.
Status check_kernel_id(std::string_view id);

struct Config {
  std::vector<std::string> gateways;         // e.g. https://arweave.net, tried in order; empty: none
  std::filesystem::path kernel_store;        // directory with index.json (TXID -> file); empty: none
  std::filesystem::path cache;               // directory; empty: no disk cache
  std::string user_agent = "kem/1.0";
  Limits limits;
};

struct Kernel {
  std::string source;   // WGSL, valid UTF-8, within limits
  std::string origin;   // "cache", "store" or the gateway's URL
};

// Thread-safe: any thread may fetch; concurrent fetches of one id share one download.
class Fetcher {
 public:
  static Result<std::unique_ptr<Fetcher>> create(Config config);
  virtual ~Fetcher() = default;

  // Blocks for at most the time limits. Errors: InvalidKernelId, KernelNotFound (every source says so),
  // GatewayUnavailable (with each gateway's reason), KernelTooLarge, KernelUnverified, Cancelled.
  virtual Result<Kernel> fetch(std::string_view id, const std::atomic<bool>* cancelled = nullptr) = 0;
};

}  // namespace kem::arweave
