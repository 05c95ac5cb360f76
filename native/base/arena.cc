#include "base/arena.h"

#include <new>

#include "base/page_pool.h"

namespace kem {
namespace {

constexpr size_t kLarge = size_t{2} << 20;

class LargeBlocks final : public std::pmr::memory_resource {
  void* do_allocate(size_t bytes, size_t alignment) override {
    if (bytes < kLarge) return ::operator new(bytes, std::align_val_t(alignment));
    const Pages pages = map_pages(bytes);
    if (pages.data == nullptr) throw std::bad_alloc();
    return pages.data;
  }

  void do_deallocate(void* data, size_t bytes, size_t alignment) override {
    if (bytes < kLarge) return ::operator delete(data, std::align_val_t(alignment));
    Pages{static_cast<uint8_t*>(data), mapped_size(bytes)}.unmap();
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* large_blocks() {
  static LargeBlocks blocks;
  return &blocks;
}

}  // namespace kem
