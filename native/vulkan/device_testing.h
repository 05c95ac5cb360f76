// What tests of the executor on a real driver share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "vulkan/vulkan.h"

namespace kem::vulkan {

using Clock = std::chrono::steady_clock;
using Words = std::vector<uint32_t>;

constexpr BufferKind kIn = BufferKind::StorageRead;
constexpr BufferKind kOut = BufferKind::StorageReadWrite;

inline std::span<const uint8_t> bytes(const Words& words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4};
}
inline std::span<uint8_t> bytes(Words& words) { return {reinterpret_cast<uint8_t*>(words.data()), words.size() * 4}; }

// Waits for the end of what was started, and knows which thread told it.
class Ending final : public Completion {
 public:
  void ended(Result<RunTimes> result) noexcept override {
    told_by_ = std::this_thread::get_id();
    promise_.set_value(std::move(result));
  }
  Result<RunTimes> wait() { return promise_.get_future().get(); }
  bool told_here() const { return told_by_.load() == std::this_thread::get_id(); }

 private:
  std::promise<Result<RunTimes>> promise_;
  std::atomic<std::thread::id> told_by_;
};

}  // namespace kem::vulkan
