#include "base/page_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace kem {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

Pages map(size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? Pages() : Pages{static_cast<uint8_t*>(memory), size};
}

// On a huge page's boundary, so that the system may use such pages: a fault every 2 MiB in place of every 4 KiB.
Pages map_huge(size_t size) {
  const Pages wide = map(size + kHugePage);
  if (wide.data == nullptr) return wide;
  const size_t before =
      round_up(reinterpret_cast<uintptr_t>(wide.data), kHugePage) - reinterpret_cast<uintptr_t>(wide.data);
  if (before != 0) munmap(wide.data, before);
  const Pages pages{wide.data + before, size};
  if (before != kHugePage) munmap(pages.data + size, kHugePage - before);
  madvise(pages.data, size, MADV_HUGEPAGE);  // advice: it may be refused
  return pages;
}

}  // namespace

size_t mapped_size(size_t bytes) { return round_up(bytes, bytes < kHugePage ? page_size() : kHugePage); }

Pages map_pages(size_t bytes) { return bytes < kHugePage ? map(mapped_size(bytes)) : map_huge(mapped_size(bytes)); }

namespace {

// What would lie idle beside the bytes that are asked for is little.
bool fits(const Pages& pages, size_t bytes) {
  return pages.size >= bytes && pages.size <= mapped_size(bytes) + mapped_size(bytes) / 4;
}

}  // namespace

void Pages::unmap() const {
  if (data != nullptr) munmap(data, size);
}

Pages PagePool::take(size_t bytes) {
  Pages pages;
  {
    const std::lock_guard lock(mutex_);
    // The latest: it is the most likely to be in a cache still.
    const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& k) { return fits(k.pages, bytes); });
    if (found != kept_.rend()) {
      pages = found->pages;
      bytes_ -= pages.size;
      kept_.erase(std::next(found).base());
    }
  }
  if (pages.data == nullptr) return map_pages(bytes);
  std::memset(pages.data, 0, std::min(round_up(bytes, page_size()), pages.size));
  return pages;
}

void PagePool::give_back(Pages pages) noexcept {
  std::vector<Kept> surplus;
  try {
    const std::lock_guard lock(mutex_);
    if (!closed_ && pages.size <= most_kept_) {
      start_keeper();
      kept_.reserve(kept_.size() + 1);
      make_room(pages.size, surplus);
      bytes_ += pages.size;
      kept_.push_back({std::exchange(pages, {}), Clock::now()});
    }
  } catch (const std::exception&) {  // no thread or no memory for keeping it
  }
  pages.unmap();
  for (const Kept& each : surplus) each.pages.unmap();
}

// The oldest go.
void PagePool::make_room(size_t more, std::vector<Kept>& surplus) {
  const auto fits = [&] { return bytes_ + more <= most_kept_; };
  while (!fits()) {
    surplus.push_back(kept_.front());
    bytes_ -= kept_.front().pages.size;
    kept_.erase(kept_.begin());
  }
}

void PagePool::close() {
  std::vector<Kept> all;
  std::thread keeper;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all = std::exchange(kept_, {});
    bytes_ = 0;
    keeper = std::move(keeper_);
  }
  closing_.notify_all();
  if (keeper.joinable()) keeper.join();
  for (const Kept& each : all) each.pages.unmap();
}

size_t PagePool::kept() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void PagePool::start_keeper() {
  if (keeping_) return;
  if (keeper_.joinable()) keeper_.join();  // it has said that it is about to end
  keeper_ = std::thread([this] { keep(); });
  keeping_ = true;
}

// Unmaps what has been kept for too long, and ends with the last.
void PagePool::keep() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<Kept> old;
    const Clock::time_point now = Clock::now();
    const auto end = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return now - k.since < longest_; });
    old.assign(kept_.begin(), end);
    kept_.erase(kept_.begin(), end);
    for (const Kept& each : old) bytes_ -= each.pages.size;
    if (!old.empty()) {
      lock.unlock();
      for (const Kept& each : old) each.pages.unmap();
      lock.lock();
      continue;
    }
    if (closed_ || kept_.empty()) break;
    closing_.wait_until(lock, kept_.front().since + longest_);
  }
  keeping_ = false;
}

}  // namespace kem
