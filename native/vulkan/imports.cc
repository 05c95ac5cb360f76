#include "vulkan/imports.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace kem::vulkan {
namespace {

// Smaller results are copied out of staging memory in the time that this and its bookkeeping is worth.
constexpr uint64_t kLeastImported = 1u << 20;
// Pages that come for the first time may never come again; those that come again mostly keep coming.
constexpr uint32_t kUsesBefore = 2;
// A driver that has refused so often, and nothing but refused, is not asked any more.
constexpr int kMostRefusals = 8;

}  // namespace

// Whole units from the begin on.
uint64_t Imports::importable(const Pages& pages) const {
  const uint64_t unit = context_->import_alignment;
  return reinterpret_cast<uintptr_t>(pages.data()) % unit == 0 ? pages.size() / unit * unit : 0;
}

bool Imports::can_import(const Pages& pages, uint64_t bytes) const {
  return bytes >= kLeastImported && pages.uses() >= kUsesBefore && importable(pages) >= bytes;
}

std::optional<Imports::Lease> Imports::get(const Pages& pages, uint64_t bytes, bool at_once) {
  if (!can_import(pages, bytes)) return Lease();
  const uint64_t size = importable(pages);
  {
    const Lock lock(mutex_);
    if (Lease found = find(pages)) return found;
    if (closed_ || refusals_ >= kMostRefusals || !make_room(size)) return Lease();
    if (at_once) return std::nullopt;
    bytes_ += size;
    ++number_;
  }
  Result<Lease> made = import(pages);
  const Lock lock(mutex_);
  if (made) {
    refusals_ = 0;
    return *made;
  }
  bytes_ -= size;
  --number_;
  ++refusals_;
  return Lease();
}

// Takes what was counted for it, if it succeeds. Without the mutex, as other calls have theirs already.
Result<Imports::Lease> Imports::import(const Pages& pages) {
  auto made = std::make_shared<Import>();
  made->pages = pages.shared_from_this();
  KEM_TRY(made->block, Block::import(*context_, pages.data(), importable(pages), MemoryUse::Readback));
  const Lock lock(mutex_);
  try {
    start_keeper();
    kept_.reserve(kept_.size() + 1);
  } catch (const std::exception&) {
    return fail(ErrorClass::OutOfMemory, "nothing to keep imports with");
  }
  made->id = next_id_++;
  kept_.push_back({made, Clock::now()});
  return Lease(std::move(made));
}

Imports::Lease Imports::find(const Pages& pages) {
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.import->pages.get() == &pages; });
  if (found == kept_.end()) return nullptr;
  found->used = Clock::now();
  std::rotate(found, std::next(found), kept_.end());
  return kept_.back().import;
}

bool Imports::has_room(uint64_t size) const {
  return size <= bounds_.bytes && bytes_ <= bounds_.bytes - size && number_ < bounds_.number;
}

// Whether it may be given up: nobody uses it, nor has for so long, or anybody will.
bool Imports::is_over(const Kept& kept, Clock::time_point now, std::chrono::nanoseconds longest) {
  return kept.import.use_count() == 1 && (kept.import->pages->retired() || now - kept.used >= longest);
}

// For the next time, if there is none now: what is dropped is still there until the thread has freed it. What was used
// a moment ago stays: several that take turns would else drive each other out, call by call.
bool Imports::make_room(uint64_t size) {
  if (has_room(size)) return true;
  if (size > bounds_.bytes) return false;
  uint64_t bytes = bytes_;
  size_t number = number_;
  for (const Lease& each : dropped_) bytes -= each->block.size();
  number -= dropped_.size();
  const Clock::time_point now = Clock::now();
  for (auto at = kept_.begin(); at != kept_.end() && (bytes > bounds_.bytes - size || number >= bounds_.number);) {
    if (!is_over(*at, now, bounds_.settled)) {
      ++at;
      continue;
    }
    bytes -= at->import->block.size();
    --number;
    dropped_.push_back(std::move(at->import));
    at = kept_.erase(at);
  }
  wake_.notify_all();
  return false;
}

void Imports::drop_old() {
  const Clock::time_point now = Clock::now();
  const auto dropped = std::stable_partition(kept_.begin(), kept_.end(),
                                             [&](const Kept& kept) { return !is_over(kept, now, bounds_.idle); });
  for (auto at = dropped; at != kept_.end(); ++at) dropped_.push_back(std::move(at->import));
  kept_.erase(dropped, kept_.end());
}

// Nobody can get a lease on them any more.
std::vector<Imports::Lease> Imports::take_unused() {
  const auto unused =
      std::partition(dropped_.begin(), dropped_.end(), [](const Lease& l) { return l.use_count() > 1; });
  std::vector<Lease> taken(std::make_move_iterator(unused), std::make_move_iterator(dropped_.end()));
  dropped_.erase(unused, dropped_.end());
  return taken;
}

void Imports::start_keeper() {
  if (keeping_ || closed_) return;
  if (keeper_.joinable()) keeper_.join();  // it has said that it is about to end
  keeper_ = std::thread([this] { keep(); });
  keeping_ = true;
}

// Frees what is not wanted any more, and ends with the last.
void Imports::keep() {
  Lock lock(mutex_);
  while (!closed_ && number_ != 0) {
    drop_old();
    std::vector<Lease> over = take_unused();
    if (over.empty()) {
      wake_.wait_for(lock, bounds_.interval);
      continue;
    }
    lock.unlock();
    uint64_t size = 0;
    const size_t number = over.size();
    for (const Lease& each : over) size += each->block.size();
    over.clear();
    lock.lock();
    bytes_ -= size;
    number_ -= number;
  }
  keeping_ = false;
}

void Imports::close() {
  std::thread keeper;
  {
    const Lock lock(mutex_);
    closed_ = true;
    keeper = std::move(keeper_);
  }
  wake_.notify_all();
  if (keeper.joinable()) keeper.join();
}

uint64_t Imports::bytes() const {
  const Lock lock(mutex_);
  return bytes_;
}

}  // namespace kem::vulkan
