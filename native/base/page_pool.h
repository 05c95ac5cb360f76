// Large memory that begins and ends with a page. What comes back is used again, as the system takes longer to find and
// clear fresh pages than this to clear those that it has.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kem {

// A mapping of the system's, which gets it back when nobody refers to it any more: a device that has imported it may
// outlive the interest of everybody else.
class Pages : public std::enable_shared_from_this<Pages> {
 public:
  // At least `bytes` > 0, zeros. Null if there is no memory.
  static std::shared_ptr<Pages> map(size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }  // bytes, whole pages

  // How often a pool has handed them out. For whoever has them.
  uint32_t uses() const { return uses_; }
  // Nobody will use them again: who only keeps them for the next time is to let go of them.
  bool retired() const { return retired_.load(std::memory_order_relaxed); }

 private:
  friend class PagePool;
  Pages() = default;
  void retire() { retired_.store(true, std::memory_order_relaxed); }

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  uint32_t uses_ = 0;
  std::atomic<bool> retired_{false};
};

// What pages hold that a pool hands out.
enum class PageContent {
  Zeros,  // in the bytes that were asked for, rounded up to a page
  Any,    // whatever an earlier use left, perhaps another caller's secrets: for who overwrites what it shows of them
};

// Thread-safe. Not to be destroyed while a thread is within it; pages that are out may outlive it.
class PagePool {
 public:
  // Keeps at most so many bytes of what came back, and each for so long at most.
  PagePool(size_t most_kept, std::chrono::nanoseconds longest) : most_kept_(most_kept), longest_(longest) {}
  ~PagePool() { close(); }
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // At least `bytes` > 0. Null if there is no memory.
  std::shared_ptr<Pages> take(size_t bytes, PageContent content);
  // Takes no time to speak of, whatever the pages hold.
  void give_back(std::shared_ptr<Pages> pages) noexcept;
  // Keeps nothing any more: what is there and what will come is retired.
  void close();

  size_t kept() const;  // bytes

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::shared_ptr<Pages> pages;
    Clock::time_point since;
  };
  std::shared_ptr<Pages> take_kept(size_t bytes);
  void make_room(size_t more, std::vector<Kept>& surplus);  // mutex held
  void start_keeper();                                      // mutex held
  void keep();
  static void retire(std::vector<Kept>& kept);

  const size_t most_kept_;
  const std::chrono::nanoseconds longest_;
  mutable std::mutex mutex_;
  std::condition_variable closing_;
  bool closed_ = false;
  bool keeping_ = false;  // the thread runs
  size_t bytes_ = 0;
  std::vector<Kept> kept_;  // oldest first
  std::thread keeper_;      // as long as something is kept
};

}  // namespace kem
