// Memory straight from the system, zeros at first: from 2 MiB on in huge pages where it has them, as a fault every 4
// KiB takes longer than most of what is done with the bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kem {

// Whole pages. Belongs to who asked for it.
struct Mapping {
  uint8_t* data = nullptr;  // null: there was no memory
  size_t size = 0;
};

size_t page_size();
size_t mapped_size(size_t bytes);  // of the mapping for so many

// `bytes` > 0.
Mapping map_memory(size_t bytes);
void unmap_memory(const Mapping& mapping);

}  // namespace kem
