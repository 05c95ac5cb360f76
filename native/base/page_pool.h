// Large memory that begins and ends with a page and is zeros when it is handed out. What comes back is used again, as
// the system takes longer to find and clear fresh pages than this to clear those that it has.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace kem {

// A mapping of the system's.
struct Pages {
  uint8_t* data = nullptr;
  size_t size = 0;  // bytes, whole pages

  // Gives the memory to the system.
  void unmap() const;
};

// At least `bytes` > 0 of zeros, from 2 MiB on in huge pages where the system has them. Null if there is no memory.
Pages map_pages(size_t bytes);
size_t mapped_size(size_t bytes);  // what Pages::size is then

// Thread-safe. Not to be destroyed while a thread is within it; pages that are out may outlive it and be unmapped.
class PagePool {
 public:
  // Keeps at most so many bytes of what came back, and each for so long at most.
  PagePool(size_t most_kept, std::chrono::nanoseconds longest) : most_kept_(most_kept), longest_(longest) {}
  ~PagePool() { close(); }
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // At least `bytes` > 0, of which the first `bytes`, rounded up to a page, are zeros. Null if there is no memory.
  Pages take(size_t bytes);
  // Takes no time to speak of, whatever the pages hold.
  void give_back(Pages pages) noexcept;
  // Keeps nothing any more: what is there and what will come goes to the system.
  void close();

  size_t kept() const;  // bytes

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    Pages pages;
    Clock::time_point since;
  };
  void make_room(size_t more, std::vector<Kept>& surplus);  // mutex held
  void start_keeper();                                      // mutex held
  void keep();

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
