// How many workgroups to submit at once, so that a long job can be stopped between slices.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kem::vulkan {

// What a pipeline's workgroups have cost so far. Thread-safe; threads may overwrite each other's measurements.
class Pace {
 public:
  // The time that a slice should take: what a cancelled or timed-out job may go on for.
  static constexpr std::chrono::milliseconds kSliceTime{50};
  static constexpr uint64_t kUnknownSlice = 256;  // workgroups of the first slice of an unknown kernel
  static constexpr uint64_t kGrowth = 16;         // most that a slice may be larger than the one before

  // Workgroups of the first slice of a job.
  uint64_t first_slice() const;
  // Takes the time of a slice; gives the size of the next one.
  uint64_t next_slice(uint64_t workgroups, std::chrono::nanoseconds time);

  // What a workgroup took in the last submission that held nothing else; 0: there was none.
  std::chrono::nanoseconds latest() const { return std::chrono::nanoseconds(latest_.load(std::memory_order_relaxed)); }
  void set_latest(uint64_t workgroups, std::chrono::nanoseconds time) {
    latest_.store(time.count() / static_cast<int64_t>(workgroups) + 1, std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> picoseconds_{0};  // of a workgroup; 0: unknown
  std::atomic<int64_t> latest_{0};        // nanoseconds
};

}  // namespace kem::vulkan
