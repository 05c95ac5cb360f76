#include "base/page_pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

#include "base/mapping.h"

namespace kem {
namespace {

// What would lie idle beside the bytes that are asked for is little.
bool fits(const Pages& pages, size_t bytes) {
  return pages.size() >= bytes && pages.size() <= mapped_size(bytes) + mapped_size(bytes) / 4;
}

}  // namespace

std::shared_ptr<Pages> Pages::map(size_t bytes) {
  std::shared_ptr<Pages> pages(new Pages);
  const Mapping mapping = map_memory(bytes);
  if (mapping.data == nullptr) return nullptr;
  pages->data_ = mapping.data;
  pages->size_ = mapping.size;
  return pages;
}

Pages::~Pages() { unmap_memory({data_, size_}); }

// The latest that fit: they are the most likely to be in a cache still.
std::shared_ptr<Pages> PagePool::take_kept(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Kept& k) { return fits(*k.pages, bytes); });
  if (found == kept_.rend()) return nullptr;
  std::shared_ptr<Pages> pages = std::move(found->pages);
  bytes_ -= pages->size();
  kept_.erase(std::next(found).base());
  return pages;
}

std::shared_ptr<Pages> PagePool::take(size_t bytes, PageContent content) {
  std::shared_ptr<Pages> pages = take_kept(bytes);
  if (pages == nullptr) {
    pages = Pages::map(bytes);
    if (pages == nullptr) return nullptr;
  } else if (content == PageContent::Zeros) {
    std::memset(pages->data(), 0, std::min((bytes + page_size() - 1) / page_size() * page_size(), pages->size()));
  }
  ++pages->uses_;
  return pages;
}

void PagePool::give_back(std::shared_ptr<Pages> pages) noexcept {
  if (pages == nullptr) return;
  const Kept back{std::move(pages), Clock::now()};
  std::vector<Kept> surplus;
  bool is_kept = false;
  try {
    const std::lock_guard lock(mutex_);
    if (!closed_ && back.pages->size() <= most_kept_) {
      start_keeper();
      kept_.reserve(kept_.size() + 1);
      make_room(back.pages->size(), surplus);
      bytes_ += back.pages->size();
      kept_.push_back(back);
      is_kept = true;
    }
  } catch (const std::exception&) {  // no thread or no memory for keeping it
  }
  if (!is_kept) back.pages->retire();
  retire(surplus);
}

void PagePool::retire(std::vector<Kept>& kept) {
  for (const Kept& each : kept) each.pages->retire();
  kept.clear();
}

// The oldest go.
void PagePool::make_room(size_t more, std::vector<Kept>& surplus) {
  const auto fits = [&] { return bytes_ + more <= most_kept_; };
  while (!fits()) {
    bytes_ -= kept_.front().pages->size();
    surplus.push_back(std::move(kept_.front()));
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
  retire(all);
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

// Retires what has been kept for too long, and ends with the last.
void PagePool::keep() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<Kept> old;
    const Clock::time_point now = Clock::now();
    const auto end = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return now - k.since < longest_; });
    old.assign(std::move_iterator(kept_.begin()), std::move_iterator(end));
    kept_.erase(kept_.begin(), end);
    for (const Kept& each : old) bytes_ -= each.pages->size();
    if (!old.empty()) {
      lock.unlock();
      retire(old);
      lock.lock();
      continue;
    }
    if (closed_ || kept_.empty()) break;
    closing_.wait_until(lock, kept_.front().since + longest_);
  }
  keeping_ = false;
}

}  // namespace kem
