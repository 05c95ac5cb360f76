#include "core/work_pool.h"

#include <system_error>
#include <utility>

namespace kem::core {

bool WorkPool::post(std::function<void()> item) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || items_.size() >= capacity_) return false;
  if (idle_ <= items_.size() && threads_.size() < most_threads_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) return false;
    }
  }
  items_.push_back(std::move(item));
  wake_.notify_one();
  return true;
}

void WorkPool::stop() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(items_);
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !items_.empty(); });
    --idle_;
    if (stopping_) return;
    std::function<void()> item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    item();
    item = nullptr;  // what it captured goes before the lock is held again
    lock.lock();
  }
}

}  // namespace kem::core
