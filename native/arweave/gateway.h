// Kernels over HTTP from a list of gateways, tried in order.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "arweave/http.h"
#include "arweave/source.h"

namespace kem::arweave {

class GatewaySource final : public KernelSource {
 public:
  explicit GatewaySource(Config config);
  ~GatewaySource() override;

  // The error of all gateways if they agree on its class, else GatewayUnavailable; the message has each one's.
  Result<Kernel> fetch(std::string_view id, const std::atomic<bool>& cancelled) override;

 private:
  Result<Kernel> fetch_from(const std::string& gateway, std::string_view id, const std::atomic<bool>& cancelled);
  // At most so many transfers at once, connections kept for the next ones; the rest wait their turn.
  Result<std::unique_ptr<HttpClient>> borrow(const std::atomic<bool>& cancelled);
  void give_back(std::unique_ptr<HttpClient> client);

  const Config config_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<HttpClient>> idle_;
  size_t made_ = 0;
};

}  // namespace kem::arweave
