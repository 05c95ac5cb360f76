// Pages of callers that a device with memory of its own delivers results into (VK_EXT_external_memory_host). To import
// them takes longer than the copy itself, so what was imported stays so as long as calls keep bringing it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/page_pool.h"
#include "vulkan/memory.h"

namespace kem::vulkan {

struct Import {
  uint64_t id = 0;                     // never 0, never reused by the device
  std::shared_ptr<const Pages> pages;  // are not unmapped before the block has gone
  Block block;                         // over all of them, for copies to
};

// Thread-safe. Nothing is freed on the callers' threads: that takes milliseconds. Holding the pages of what it keeps,
// it knows them by their address: nothing else can be there.
class Imports {
 public:
  using Clock = std::chrono::steady_clock;
  // Shared with what copies there.
  using Lease = std::shared_ptr<const Import>;

  // The bounds are Context::imports.
  explicit Imports(const Context& context) : context_(&context), bounds_(context.imports) {}
  // Nothing is in use any more.
  ~Imports() { close(); }
  Imports(const Imports&) = delete;
  Imports& operator=(const Imports&) = delete;

  // Where to copy a result of `bytes` that the pages begin with. Null: nowhere, it is to be staged. nullopt: they would
  // have to be imported first, which is not done `at_once`.
  std::optional<Lease> get(const Pages& pages, uint64_t bytes, bool at_once);
  // Ends the thread. Nothing is imported any more.
  void close();

  uint64_t bytes() const;  // that are imported

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Kept {
    Lease import;
    Clock::time_point used;  // last
  };
  bool can_import(const Pages& pages, uint64_t bytes) const;
  uint64_t importable(const Pages& pages) const;
  Result<Lease> import(const Pages& pages);
  // These with the mutex held:
  Lease find(const Pages& pages);
  static bool is_over(const Kept& kept, Clock::time_point now, std::chrono::nanoseconds longest);
  bool has_room(uint64_t size) const;
  bool make_room(uint64_t size);
  void drop_old();
  std::vector<Lease> take_unused();
  void start_keeper();
  void keep();

  const Context* context_;
  const ImportBounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Kept> kept_;      // least recently used first
  std::vector<Lease> dropped_;  // to be freed when nothing uses them any more
  uint64_t bytes_ = 0;          // of both, and of what is being imported and freed
  size_t number_ = 0;           // the same
  uint64_t next_id_ = 1;
  int refusals_ = 0;  // by the driver, one after the other
  bool closed_ = false;
  bool keeping_ = false;  // the thread runs
  std::thread keeper_;    // as long as something is imported
};

}  // namespace kem::vulkan
