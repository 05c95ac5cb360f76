// A map from strings to values that forgets what was used longest ago once its cost is over a bound.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kem {

// Not thread-safe.
template <class Value>
class LruCache {
 public:
  // `capacity` is in the unit of insert()'s costs: entries where every cost is 1, or bytes.
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  // The value, now the most recently used, or nullptr. Valid until the next insert or erase.
  Value* find(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }

  // Replaces what was under the key. A value that costs more than the whole capacity is not kept.
  void insert(std::string key, Value value, size_t cost = 1) {
    erase(key);
    if (cost > capacity_) return;
    entries_.push_front(Entry{std::move(key), std::move(value), cost});
    index_.emplace(entries_.front().key, entries_.begin());
    cost_ += cost;
    while (cost_ > capacity_) drop(std::prev(entries_.end()));
  }

  void erase(std::string_view key) {
    if (const auto found = index_.find(key); found != index_.end()) drop(found->second);
  }

  // Calls remove(Value&) with every value, and forgets those that it says true of.
  template <class Remove>
  void erase_if(Remove remove) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (remove(entry->value)) drop(entry);
      entry = next;
    }
  }

  void clear() {
    index_.clear();
    entries_.clear();
    cost_ = 0;
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    Value value;
    size_t cost;
  };
  using Position = typename std::list<Entry>::iterator;

  void drop(Position entry) {
    index_.erase(entry->key);
    cost_ -= entry->cost;
    entries_.erase(entry);
  }

  size_t capacity_;
  size_t cost_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, Position> index_;
};

}  // namespace kem
