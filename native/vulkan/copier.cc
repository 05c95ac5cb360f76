#include "vulkan/copier.h"

#include <algorithm>
#include <cstring>
#include <system_error>

namespace kem::vulkan {

Copier::~Copier() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

size_t Copier::usual_helpers() { return std::clamp<size_t>(std::thread::hardware_concurrency() * 3 / 4, 1, 12) - 1; }

void Copier::copy(uint8_t* to, const uint8_t* from, uint64_t size) {
  if (size <= kAlone) {
    if (size != 0) std::memcpy(to, from, size);
    return;
  }
  share_out(size, [=](uint64_t offset, uint64_t bytes) { std::memcpy(to + offset, from + offset, bytes); });
}

void Copier::zero(uint8_t* to, uint64_t size) {
  if (size <= kAlone) {
    if (size != 0) std::memset(to, 0, size);
    return;
  }
  share_out(size, [=](uint64_t offset, uint64_t bytes) { std::memset(to + offset, 0, bytes); });
}

void Copier::share_out(uint64_t size, const Work& work) {
  Share share{work, size};
  {
    const std::lock_guard lock(mutex_);
    start_helpers();
    shares_.push_back(&share);
  }
  wake_.notify_all();
  take_pieces(share);
  std::unique_lock lock(mutex_);
  std::erase(shares_, &share);
  done_.wait(lock, [&] { return share.helping == 0; });
}

void Copier::take_pieces(Share& share) {
  for (uint64_t at = share.next.fetch_add(kPiece); at < share.size; at = share.next.fetch_add(kPiece))
    share.work(at, std::min(kPiece, share.size - at));
}

// Fewer helpers than wanted, even none, only take longer.
void Copier::start_helpers() {
  try {
    while (helpers_.size() < most_helpers_) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
  }
}

void Copier::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !shares_.empty(); });
    if (stopping_) return;
    Share& share = *shares_.front();
    ++share.helping;
    lock.unlock();
    take_pieces(share);
    lock.lock();
    std::erase(shares_, &share);
    if (--share.helping == 0) done_.notify_all();
  }
}

}  // namespace kem::vulkan
