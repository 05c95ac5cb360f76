#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "arweave/arweave.h"
#include "arweave/disk.h"
#include "arweave/gateway.h"
#include "arweave/memory.h"
#include "arweave/store.h"

namespace kem::arweave {
namespace {

constexpr size_t kMemoryBytes = 16u << 20;
constexpr uint64_t kDiskBytes = 256u << 20;
constexpr std::chrono::milliseconds kLook{50};

const std::atomic<bool> kNeverCancelled{false};

// A source and which of the sources before it are told of what it finds.
struct Link {
  std::unique_ptr<KernelSource> source;
  std::vector<KernelSource*> learners;
};

class ChainFetcher final : public Fetcher {
 public:
  explicit ChainFetcher(const Config& config) {
    auto memory = std::make_unique<MemorySource>(kMemoryBytes);
    KernelSource* const memory_source = memory.get();
    chain_.push_back({std::move(memory), {}});
    if (!config.kernel_store.empty()) {
      chain_.push_back({std::make_unique<StoreSource>(config.kernel_store, config.limits), {memory_source}});
    }
    auto disk = std::make_unique<DiskSource>(config.cache, kDiskBytes, config.limits);
    KernelSource* const disk_source = disk.get();
    chain_.push_back({std::move(disk), {memory_source}});
    chain_.push_back({std::make_unique<GatewaySource>(config), {memory_source, disk_source}});
  }

  Result<Kernel> fetch(std::string_view id, const std::atomic<bool>* cancelled) override {
    KEM_CHECK(check_kernel_id(id));
    const std::atomic<bool>& stop = cancelled != nullptr ? *cancelled : kNeverCancelled;
    // A flight ends with its leader's cancellation; whoever else waited for it starts the next.
    while (true) {
      const auto [flight, leads] = join(id);
      auto kernel = leads ? land(*flight, id, fetch_from_chain(id, stop)) : wait(*flight, stop);
      if (kernel || kernel.error().error_class != ErrorClass::Cancelled || stop) return kernel;
    }
  }

 private:
  // One download that any number of callers wait for.
  struct Flight {
    std::mutex mutex;
    std::condition_variable landed;
    std::optional<Result<Kernel>> result;
  };

  std::pair<std::shared_ptr<Flight>, bool> join(std::string_view id) {
    const std::lock_guard lock(mutex_);
    auto [entry, leads] = flights_.try_emplace(std::string(id));
    if (leads) entry->second = std::make_shared<Flight>();
    return {entry->second, leads};
  }

  Result<Kernel> land(Flight& flight, std::string_view id, Result<Kernel> result) {
    {
      const std::lock_guard lock(mutex_);
      flights_.erase(std::string(id));
    }
    const std::lock_guard lock(flight.mutex);
    flight.result = result;
    flight.landed.notify_all();
    return result;
  }

  static Result<Kernel> wait(Flight& flight, const std::atomic<bool>& cancelled) {
    std::unique_lock lock(flight.mutex);
    while (!flight.result) {
      if (cancelled) return fail(ErrorClass::Cancelled, "the fetch was cancelled");
      flight.landed.wait_for(lock, kLook);
    }
    return *flight.result;
  }

  Result<Kernel> fetch_from_chain(std::string_view id, const std::atomic<bool>& cancelled) try {
    Error error;
    for (const Link& link : chain_) {
      auto kernel = link.source->fetch(id, cancelled);
      if (kernel) {
        for (KernelSource* learner : link.learners) learner->learn(id, *kernel);
        return kernel;
      }
      error = std::move(kernel).error();
      if (error.error_class != ErrorClass::KernelNotFound) return fail(std::move(error));
    }
    return fail(std::move(error));
  } catch (const std::bad_alloc&) {
    return fail(ErrorClass::OutOfMemory, "no memory for the kernel");
  } catch (const std::exception& exception) {
    return fail(ErrorClass::Internal, std::string("fetching raised an exception: ") + exception.what());
  }

  std::vector<Link> chain_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Flight>> flights_;
};

}  // namespace

Result<std::unique_ptr<Fetcher>> Fetcher::create(const Config& config) {
  for (const std::string& gateway : config.gateways) KEM_CHECK(check_gateway(gateway));
  return std::make_unique<ChainFetcher>(config);
}

}  // namespace kem::arweave
