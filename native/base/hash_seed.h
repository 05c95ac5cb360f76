// What hashes of a stranger's words begin with.
#pragma once

#include <cstdint>

namespace kem {

// Odd, and different from process to process: nobody can write a source whose names or numbers all meet in one slot.
// Thread-safe.
uint64_t hash_seed();

}  // namespace kem
