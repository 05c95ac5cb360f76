// What tests of the executor on a real driver share.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "vulkan/validation_log.h"
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

inline Argument input(uint32_t binding, const Words& words, BufferKind kind = kIn) {
  return {0, binding, kind, words.size() * 4, bytes(words), {}};
}
inline Argument output(uint32_t binding, Words& words) {
  return {0, binding, kOut, words.size() * 4, {}, bytes(words)};
}

// A minute is enough.
inline Dispatch groups(uint64_t x, uint64_t y = 1, uint64_t z = 1) {
  return {{x, y, z}, Clock::now() + std::chrono::minutes(1), nullptr};
}

// Of a shader with the job's push constants. Null, and the test has failed, if the device refuses it.
inline std::unique_ptr<Pipeline> make_pipeline(Device& device, std::span<const uint32_t> spirv,
                                               std::vector<LayoutBinding> bindings) {
  auto made = device.make_pipeline({spirv, bindings, 32, {}});
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

// Nothing that the validation layer had to say.
inline void expect_empty(const ValidationLog& log) {
  EXPECT_EQ(log.count(), 0u);
  for (const std::string& text : log.texts()) ADD_FAILURE() << text;
}

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
