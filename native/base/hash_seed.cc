#include "base/hash_seed.h"

#include <unistd.h>

namespace kem {

uint64_t hash_seed() {
  static const uint64_t value = [] {
    uint64_t random = 0;
    if (getentropy(&random, sizeof(random)) != 0) random = reinterpret_cast<uintptr_t>(&random);
    return random | 1;
  }();
  return value;
}

}  // namespace kem
