#pragma once

#include <chrono>
#include <utility>

namespace kem::core {

// Wall time since it was made or last read.
class Stopwatch {
 public:
  std::chrono::nanoseconds lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::nanoseconds(now - std::exchange(since_, now));
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace kem::core
