// Small blocks of the heap that a thread gave back and will soon ask for again. glslang and SPIRV-Tools make thousands
// of objects for a kernel of thirty lines and free nearly all of them. The C library has seven of a size at hand for a
// thread, and joins, splits and looks for the others: a fifth of a compile's instructions (docs/performance.md).
//
// A block is malloc's before and after, so any library may free() what comes from here, and what comes back may be any
// library's: nothing is in front of it, and its size is asked of the C library.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace kem {

// For one thread at a time.
class SmallBlocks {
 public:
  static constexpr size_t kLargest = 504;                // bytes that a block may hold to be kept
  static constexpr size_t kMostKept = size_t{32} << 10;  // bytes of one size; of all sizes together 1 MiB

  SmallBlocks() {
    for (size_t size = kSmallest; size < kSizes; ++size) lists_[size].room = most_kept(size);
  }
  ~SmallBlocks() {
    for (List& list : lists_)
      while (list.first != nullptr) std::free(std::exchange(list.first, list.first->next));
  }
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;

  // A block of at least so many bytes. Null if there is no memory.
  void* allocate(size_t bytes) {
    if (bytes > kLargest) return std::malloc(bytes);
    const size_t size = size_of_request(bytes);
    List& list = lists_[size];
    if (list.first == nullptr) return std::malloc(size * kStep - kHeader);
    ++list.room;
    return std::exchange(list.first, list.first->next);
  }

  // Takes a block of malloc's, or null.
  void free(void* block) {
    const size_t size = (malloc_usable_size(block) + kHeader) / kStep;  // 0 for null
    if (size >= kSizes || lists_[size].room == 0) return std::free(block);
    List& list = lists_[size];
    --list.room;
    list.first = new (block) Free{list.first};
  }

  // How many blocks there are for such a request.
  size_t kept(size_t bytes) const {
    const size_t size = size_of_request(bytes);
    return size < kSizes ? most_kept(size) - lists_[size].room : 0;
  }

 private:
  // Sizes go by sixteen, less what the C library has of its own in each: with another C library blocks are found all
  // the same, by what they hold.
  static constexpr size_t kStep = 16;
  static constexpr size_t kHeader = 8;
  static constexpr size_t kSmallest = 2;  // holds 24 bytes, as the C library's
  static constexpr size_t kSizes = (kLargest + kHeader) / kStep + 1;

  struct Free {
    Free* next;
  };
  struct List {
    Free* first = nullptr;
    size_t room = 0;  // blocks that may still come
  };

  static size_t size_of_request(size_t bytes) { return std::max(kSmallest, (bytes + kHeader + kStep - 1) / kStep); }

  static size_t most_kept(size_t size) { return kMostKept / (size * kStep); }

  std::array<List, kSizes> lists_;
};

}  // namespace kem
