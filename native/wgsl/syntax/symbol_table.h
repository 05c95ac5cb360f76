// The names that a module has somewhere. Equal names are one Symbol, so that nobody behind the parser compares or
// hashes their letters: what is known of a name stands in a list, at its id.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/arena.h"

namespace kem::wgsl {

struct Symbol {
  std::string_view text;  // of the source
  uint32_t id;            // dense from 0, by first occurrence
};

class SymbolTable {
 public:
  // The symbols are made in `arena`; the texts must live as long.
  explicit SymbolTable(Arena& arena);

  const Symbol* intern(std::string_view text);
  uint32_t count() const { return count_; }

 private:
  // With open addressing: a symbol is at its hash or behind, before the next empty slot.
  struct Slot {
    uint64_t hash = 0;
    const Symbol* symbol = nullptr;
  };

  void grow();

  Arena& arena_;
  const uint64_t seed_;
  std::vector<Slot> slots_;  // a power of two; at least half are empty
  uint32_t count_ = 0;
};

}  // namespace kem::wgsl
