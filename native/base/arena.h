// Bump allocation for the front-end's trees: nodes live as long as their arena and are never destroyed singly,
// so they must be trivially destructible (lists are std::span into the arena, names are std::string_view).
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory_resource>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kem {

// Memory of which blocks from 2 MiB on are mappings of their own, in huge pages where the system has them: a large
// module's tables are touched once, and a fault for each 4 KiB took an eighth of its time. Has no state.
std::pmr::memory_resource* large_blocks();

// For a function's own containers: the first 2 KiB, which are enough for nearly all, need no allocation.
class LocalMemory {
 public:
  LocalMemory() = default;
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  std::pmr::memory_resource* resource() { return &memory_; }

 private:
  std::array<std::byte, 2048> first_;
  std::pmr::monotonic_buffer_resource memory_{first_.data(), first_.size()};
};

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (memory_.allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (items.empty()) return {};
    T* data = static_cast<T*>(memory_.allocate(items.size() * sizeof(T), alignof(T)));
    std::memcpy(static_cast<void*>(data), items.data(), items.size() * sizeof(T));
    return {data, items.size()};
  }
  template <class T>
  std::span<T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }
  std::string_view copy(std::string_view text) {
    const auto bytes = copy(std::span<const char>(text.data(), text.size()));
    return {bytes.data(), bytes.size()};
  }
  // For containers that live as long as the arena: what they give back is not used again.
  std::pmr::memory_resource* resource() { return &memory_; }

 private:
  std::pmr::monotonic_buffer_resource memory_{16 * 1024, large_blocks()};
};

}  // namespace kem
