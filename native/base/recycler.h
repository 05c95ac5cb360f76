// Memory of objects that one thread makes and another destroys, some hundred thousand times a second. The C library's
// heap is not for that: a thread that frees what another one allocated takes a lock that this one needs for its next
// allocation, and sleeps if it is taken (docs/performance.md).
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <mutex>

namespace kem {

// Keeps blocks of up to kLargest bytes for the next one who asks, by powers of two; what is larger is the heap's.
// Thread-safe. Outlives what was allocated from it.
class Recycler final : public std::pmr::memory_resource {
 public:
  static constexpr size_t kLargest = 2048;
  static constexpr size_t kMostKept = 1024;  // blocks of one size

  Recycler() = default;
  ~Recycler() override;
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;

 private:
  static constexpr size_t kSmallest = 64;
  static constexpr size_t kSizes = 6;  // 64 to 2,048
  static_assert(kSmallest << (kSizes - 1) == kLargest);

  struct Free {
    Free* next;
  };
  struct alignas(64) Bin {
    std::mutex mutex;
    Free* first = nullptr;
    size_t kept = 0;
  };

  static size_t bin_of(size_t bytes);
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* memory, size_t bytes, size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::array<Bin, kSizes> bins_;
};

// What derives from it is made by `new (recycler) T(...)` and destroyed by `delete`, also through a base class whose
// destructor is virtual.
class Recycled {
 public:
  static void* operator new(size_t size, Recycler& memory);
  static void operator delete(void* object, Recycler& memory) noexcept;  // where the constructor throws
  static void operator delete(void* object) noexcept;
};

}  // namespace kem
