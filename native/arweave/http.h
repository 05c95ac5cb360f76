// One HTTP GET after another over kept connections: what a gateway needs and no more.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"

namespace kem::arweave {

struct HttpOptions {
  std::string user_agent;
  std::filesystem::path ca_file;  // empty: the system's
  std::chrono::milliseconds connect_time{0};
  std::chrono::milliseconds total_time{0};  // redirects included
  std::chrono::seconds stall_time{0};
  int redirects = 0;
  size_t most_bytes = 0;
};

struct HttpResponse {
  long status = 0;
  std::string content_type;  // of the answer, as sent
  std::string body;
};

// Not thread-safe: one thread at a time. Certificates are verified; only http and https are spoken; a redirect
// leads from https to https only; bodies come as they are, never decompressed; no signals.
class HttpClient {
 public:
  // Internal if libcurl cannot start.
  static Result<std::unique_ptr<HttpClient>> create(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any status is an answer. Errors: KernelTooLarge, Cancelled, GatewayUnavailable with the reason. Looks at
  // `cancelled` every 50 ms; a name that is still being resolved then is waited for on destruction.
  Result<HttpResponse> get(const std::string& url, const std::atomic<bool>& cancelled);

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kem::arweave
