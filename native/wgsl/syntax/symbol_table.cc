#include "wgsl/syntax/symbol_table.h"

#include <cstring>
#include <utility>

#include "base/hash_seed.h"

namespace kem::wgsl {
namespace {

constexpr size_t kFewestSlots = 128;

__extension__ using Wide = unsigned __int128;

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// Names are mostly of a few letters: eight at a time, folded from a product of twice the width.
uint64_t hash(std::string_view text, uint64_t seed) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  uint64_t hash = seed ^ text.size();
  const auto add = [&](uint64_t bytes) {
    const Wide product = Wide{hash ^ bytes} * (seed ^ kFactor);
    hash = static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
  };
  const char* at = text.data();
  size_t left = text.size();
  for (; left > 8; left -= 8, at += 8) add(load<uint64_t>(at));
  if (left >= 4) {  // the two halves may overlap
    add(uint64_t{load<uint32_t>(at)} << 32 | load<uint32_t>(at + left - 4));
  } else if (left > 0) {
    const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(at[i])}; };
    add(byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1));
  }
  return hash;
}

}  // namespace

SymbolTable::SymbolTable(Arena& arena) : arena_(arena), seed_(hash_seed()), slots_(kFewestSlots) {}

const Symbol* SymbolTable::intern(std::string_view text) {
  const uint64_t h = hash(text, seed_);
  const size_t mask = slots_.size() - 1;
  size_t i = h & mask;
  for (; slots_[i].symbol != nullptr; i = (i + 1) & mask) {
    if (slots_[i].hash == h && slots_[i].symbol->text == text) return slots_[i].symbol;
  }
  const auto* symbol = arena_.make<Symbol>(text, count_++);
  slots_[i] = {h, symbol};
  if (count_ > slots_.size() / 2) grow();
  return symbol;
}

void SymbolTable::grow() {
  std::vector<Slot> slots(slots_.size() * 2);
  const size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.symbol == nullptr) continue;
    size_t i = slot.hash & mask;
    while (slots[i].symbol != nullptr) i = (i + 1) & mask;
    slots[i] = slot;
  }
  slots_ = std::move(slots);
}

}  // namespace kem::wgsl
