#include "base/arena.h"

#include <new>

#include "base/mapping.h"

namespace kem {
namespace {

constexpr size_t kLarge = size_t{2} << 20;

class LargeBlocks final : public std::pmr::memory_resource {
  void* do_allocate(size_t bytes, size_t alignment) override {
    if (bytes < kLarge) return ::operator new(bytes, std::align_val_t(alignment));
    const Mapping mapping = map_memory(bytes);
    if (mapping.data == nullptr) throw std::bad_alloc();
    return mapping.data;
  }

  void do_deallocate(void* data, size_t bytes, size_t alignment) override {
    if (bytes < kLarge) return ::operator delete(data, std::align_val_t(alignment));
    unmap_memory({static_cast<uint8_t*>(data), mapped_size(bytes)});
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* large_blocks() {
  static auto* const blocks = new LargeBlocks;  // for good: arenas may outlive the statics
  return blocks;
}

}  // namespace kem
