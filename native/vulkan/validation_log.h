// What the validation layer says.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace kem::vulkan {

// Counts messages and keeps the first of them. Thread-safe.
class ValidationLog {
 public:
  static constexpr size_t kKept = 64;

  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    ++count_;
    if (texts_.size() < kKept) texts_.push_back(std::move(text));
  }
  uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  uint64_t count_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace kem::vulkan
