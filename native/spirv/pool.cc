#include "spirv/pool.h"

#include <algorithm>
#include <new>

namespace kem::spirv {
namespace {

constexpr size_t kMapping = size_t{2} << 20;     // one huge page
constexpr size_t kLargeText = size_t{64} << 10;  // takes two of them
constexpr int kSmallPage = 8 << 10;              // glslang's own choice
constexpr int kLargePage = 64 << 10;

// What a page begins with. glslang's header has the type too, but there it has a member more in debug builds, ours or
// the library's: the library's own is as long as this one where the member is absent.
struct Page {
  Page* next;
  size_t count;
};

}  // namespace

Pool::Pool(size_t text, size_t most)
    : TPoolAllocator(text < kLargeText ? kSmallPage : kLargePage),
      maps_(text >= kLargeText && headerSkip == sizeof(Page)),
      most_(most) {}

// The base frees what is left in its lists: pages of malloc.
Pool::~Pool() {
  if (mappings_.empty()) return;
  popAll();
  auto* page = reinterpret_cast<Page*>(freeList);
  Page* others = nullptr;
  while (page != nullptr) {
    Page* const next = page->next;
    if (!is_mapped(page)) {
      page->next = others;
      others = page;
    }
    page = next;
  }
  freeList = reinterpret_cast<tHeader*>(others);
  for (const Mapping& mapping : mappings_) unmap_memory(mapping);
}

// Without memory for it, glslang asks malloc.
void Pool::map_pages() {
  const Mapping mapping = map_memory(kMapping);
  if (mapping.data == nullptr) return;
  mappings_.push_back(mapping);
  mapped_ += mapping.size;
  Page* pages = nullptr;
  for (size_t end = mapping.size; end >= pageSize; end -= pageSize)
    pages = new (mapping.data + end - pageSize) Page{pages, 1};
  freeList = reinterpret_cast<tHeader*>(pages);
}

bool Pool::is_mapped(const void* page) const {
  return std::ranges::any_of(mappings_, [&](const Mapping& mapping) {
    return reinterpret_cast<uintptr_t>(page) - reinterpret_cast<uintptr_t>(mapping.data) < mapping.size;
  });
}

}  // namespace kem::spirv
