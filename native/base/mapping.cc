#include "base/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

namespace kem {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

Mapping map_small(size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? Mapping() : Mapping{static_cast<uint8_t*>(memory), size};
}

// On a huge page's boundary, so that the system may use such pages.
Mapping map_huge(size_t size) {
  const Mapping wide = map_small(size + kHugePage);
  if (wide.data == nullptr) return wide;
  const size_t before =
      round_up(reinterpret_cast<uintptr_t>(wide.data), kHugePage) - reinterpret_cast<uintptr_t>(wide.data);
  if (before != 0) munmap(wide.data, before);
  const Mapping mapping{wide.data + before, size};
  if (before != kHugePage) munmap(mapping.data + size, kHugePage - before);
  madvise(mapping.data, size, MADV_HUGEPAGE);  // advice: it may be refused
  return mapping;
}

}  // namespace

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t mapped_size(size_t bytes) { return round_up(bytes, bytes < kHugePage ? page_size() : kHugePage); }

Mapping map_memory(size_t bytes) {
  return bytes < kHugePage ? map_small(mapped_size(bytes)) : map_huge(mapped_size(bytes));
}

void unmap_memory(const Mapping& mapping) {
  if (mapping.data != nullptr) munmap(mapping.data, mapping.size);
}

}  // namespace kem
