#include "base/recycler.h"

#include <bit>
#include <new>
#include <utility>

#include "base/lock_soon.h"

namespace kem {
namespace {

// AddressSanitizer is to see every object come and go.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRecycles = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kRecycles = false;
#else
constexpr bool kRecycles = true;
#endif
#else
constexpr bool kRecycles = true;
#endif

constexpr size_t kAlignment = alignof(std::max_align_t);

bool is_kept(size_t bytes, size_t alignment) {
  return kRecycles && bytes <= Recycler::kLargest && alignment <= kAlignment;
}

// In front of a recycled object: whose memory it is.
struct alignas(kAlignment) Header {
  Recycler* memory;
  size_t size;  // of both
};

void give_back(void* object) {
  Header* const header = static_cast<Header*>(object) - 1;
  header->memory->deallocate(header, header->size, kAlignment);
}

}  // namespace

Recycler::~Recycler() {
  for (size_t bin = 0; bin < kSizes; ++bin)
    while (bins_[bin].first != nullptr) ::operator delete(std::exchange(bins_[bin].first, bins_[bin].first->next));
}

size_t Recycler::bin_of(size_t bytes) {
  return bytes <= kSmallest ? 0 : static_cast<size_t>(std::bit_width((bytes - 1) / kSmallest));
}

void* Recycler::do_allocate(size_t bytes, size_t alignment) {
  if (!is_kept(bytes, alignment)) return ::operator new(bytes, std::align_val_t(alignment));
  const size_t size = bin_of(bytes);
  Bin& bin = bins_[size];
  {
    const auto lock = lock_soon(bin.mutex);
    if (bin.first != nullptr) {
      --bin.kept;
      return std::exchange(bin.first, bin.first->next);
    }
  }
  return ::operator new(kSmallest << size);
}

void Recycler::do_deallocate(void* memory, size_t bytes, size_t alignment) {
  if (!is_kept(bytes, alignment)) return ::operator delete(memory, std::align_val_t(alignment));
  const size_t size = bin_of(bytes);
  Bin& bin = bins_[size];
  {
    const auto lock = lock_soon(bin.mutex);
    if (bin.kept < kMostKept) {
      ++bin.kept;
      bin.first = new (memory) Free{bin.first};
      return;
    }
  }
  ::operator delete(memory);
}

void* Recycled::operator new(size_t size, Recycler& memory) {
  const size_t whole = sizeof(Header) + size;
  return new (memory.allocate(whole, kAlignment)) Header{&memory, whole} + 1;
}

void Recycled::operator delete(void* object, Recycler&) noexcept { give_back(object); }

void Recycled::operator delete(void* object) noexcept { give_back(object); }

}  // namespace kem
