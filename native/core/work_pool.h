// A few threads that do what must not hold up the executor: fetching, compiling, images.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kem::core {

// Thread-safe. Threads start when there is work for them.
class WorkPool {
 public:
  // At most `threads` run at once and `capacity` items wait.
  WorkPool(size_t threads, size_t capacity) : most_threads_(threads), capacity_(capacity) {}
  // Lets the items that run end, drops those that wait, joins.
  ~WorkPool() { stop(); }
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False if too many items wait, no thread could be started, or the pool is stopped. Items must not throw.
  bool post(std::function<void()> item);
  void stop();

 private:
  void work();

  const size_t most_threads_;
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> items_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace kem::core
