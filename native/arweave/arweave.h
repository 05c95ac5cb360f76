// From a kernel's TXID to its source: a chain of sources (memory, local kernel store, disk cache, gateways), the
// same code path for each. The only user of libcurl.
#pragma once

#include <atomic>
#include <chrono>
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

// http:// or https://, a host, no query and no fragment. InvalidArgument otherwise.
Status check_gateway(std::string_view url);

struct Config {
  std::vector<std::string> gateways;   // e.g. https://arweave.net, tried in order; empty: none
  std::filesystem::path kernel_store;  // directory with index.json (TXID -> file); empty: none
  std::filesystem::path cache;         // directory; empty: no disk cache
  std::filesystem::path ca_file;       // PEM certificates to trust; empty: the system's
  std::string user_agent = "kem/1.0";
  std::chrono::seconds stall_time{5};  // a transfer that brings next to nothing for so long is given up
  Limits limits;
};

struct Kernel {
  std::string source;  // WGSL, valid UTF-8, within limits
  std::string origin;  // "cache", "store" or the gateway's URL
};

// Thread-safe: any thread may fetch; concurrent fetches of one id share one download.
class Fetcher {
 public:
  static Result<std::unique_ptr<Fetcher>> create(const Config& config);
  virtual ~Fetcher() = default;

  // Blocks for at most the time limits; about 100 ms after `*cancelled` has become true. Errors: InvalidKernelId,
  // KernelNotFound (every source says so), GatewayUnavailable (with each gateway's reason), KernelTooLarge,
  // InvalidKernel (no text), KernelUnverified (not the store's pinned digest), IoError (a broken store), Cancelled.
  virtual Result<Kernel> fetch(std::string_view id, const std::atomic<bool>* cancelled = nullptr) = 0;
};

}  // namespace kem::arweave
