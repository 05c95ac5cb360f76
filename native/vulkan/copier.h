// Copies between the callers' memory and the device's. One thread reaches a fraction of a memory's bandwidth, and less
// where pages are touched for the first time, so large copies are shared out.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kem::vulkan {

// Thread-safe. Its threads start with the first large copy.
class Copier {
 public:
  // What one thread does alone, and what each takes at a time.
  static constexpr uint64_t kAlone = 1u << 20;
  static constexpr uint64_t kPiece = 2u << 20;

  // `helpers`: threads besides the caller's, perhaps none.
  explicit Copier(size_t helpers) : most_helpers_(helpers) {}
  ~Copier();
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  // As many helpers as there is something to gain from on this host.
  static size_t usual_helpers();

  void copy(uint8_t* to, const uint8_t* from, uint64_t size);
  void zero(uint8_t* to, uint64_t size);

 private:
  // `work` on every piece of `size` bytes: its offset and size.
  using Work = std::function<void(uint64_t offset, uint64_t size)>;
  struct Share {
    const Work& work;
    uint64_t size;
    std::atomic<uint64_t> next{0};
    size_t helping = 0;  // guarded by mutex_
  };
  void share_out(uint64_t size, const Work& work);
  static void take_pieces(Share& share);
  void help();
  void start_helpers();  // mutex held

  const size_t most_helpers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<Share*> shares_;  // that still have pieces, as far as is known
  bool stopping_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace kem::vulkan
