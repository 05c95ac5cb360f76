#include "wgsl/glsl/layout.h"

#include <algorithm>

namespace kem::wgsl::glsl {
namespace {

uint64_t round_up(uint64_t n, uint64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

// std430's base alignment of the GLSL form, padding members included (they align to 4 or 2 bytes and stand only
// in structures that are at least so aligned, or follow a member that is).
uint64_t std430_align(const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) return std430_align(array->element);
  const auto* structure = sem::as_struct(type);
  if (structure == nullptr) return sem::align_of(type);
  uint64_t align = 1;
  for (const auto& member : structure->members) align = std::max(align, std430_align(member.type));
  for (const Padding& p : padding_of(structure)) {
    if (p.bytes >= 4) align = std::max<uint64_t>(align, 4);
  }
  return align;
}

bool is_runtime_sized(const sem::Type* type) {
  const auto* array = sem::as_array(type);
  return array != nullptr && array->count_kind == sem::Array::Count::Runtime;
}

}  // namespace

std::vector<Padding> padding_of(const sem::Struct* type) {
  std::vector<Padding> padding;
  uint64_t end = 0;
  uint64_t align = 1;
  for (const auto& member : type->members) {
    const uint64_t member_align = std430_align(member.type);
    const uint64_t natural = round_up(end, member_align);
    padding.push_back(natural == member.offset ? Padding{} : Padding{end, member.offset - end});
    if (padding.back().bytes >= 4) align = std::max<uint64_t>(align, 4);
    align = std::max(align, member_align);
    end = member.offset + sem::size_of(member.type);
  }
  const bool open = !type->members.empty() && is_runtime_sized(type->members.back().type);
  const bool same = open || round_up(end, align) == type->size;
  padding.push_back(same ? Padding{} : Padding{end, type->size - end});
  return padding;
}

bool has_padding(const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) return has_padding(array->element);
  const auto* structure = sem::as_struct(type);
  if (structure == nullptr) return false;
  for (const Padding& p : padding_of(structure)) {
    if (p.bytes != 0) return true;
  }
  return std::any_of(structure->members.begin(), structure->members.end(),
                     [](const auto& m) { return has_padding(m.type); });
}

}  // namespace kem::wgsl::glsl
