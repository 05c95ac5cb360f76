#include "wgsl/glsl/layout.h"

#include <algorithm>
#include <utility>

namespace kem::wgsl::glsl {
namespace {

constexpr uint64_t kMany = uint64_t{1} << 40;

uint64_t round_up(uint64_t n, uint64_t alignment) { return (n + alignment - 1) / alignment * alignment; }

bool is_runtime_sized(const sem::Type* type) {
  const auto* array = sem::as_array(type);
  return array != nullptr && array->count_kind == sem::Array::Count::Runtime;
}

}  // namespace

const Layouts::StructLayout& Layouts::layout(const sem::Struct* type) {
  if (const auto found = layouts_.find(type); found != layouts_.end()) return found->second;
  StructLayout l;
  uint64_t end = 0;
  const auto pad = [&](Padding padding) {
    l.padding.push_back(padding);
    l.has_padding |= padding.bytes != 0;
    if (padding.bytes >= 4) l.std430_align = std::max<uint64_t>(l.std430_align, 4);  // a uint member
  };
  for (const auto& member : type->members) {
    const uint64_t align = std430_align(member.type);
    const bool same = round_up(end, align) == member.offset;
    pad(same ? Padding{} : Padding{end, member.offset - end});
    l.std430_align = std::max(l.std430_align, align);
    l.has_padding |= has_padding(member.type);
    l.scalars = std::min(kMany, l.scalars + scalar_count(member.type));
    end = member.offset + sem::size_of(member.type);
  }
  const bool open = !type->members.empty() && is_runtime_sized(type->members.back().type);
  const bool same = open || round_up(end, l.std430_align) == type->size;
  pad(same ? Padding{} : Padding{end, type->size - end});
  return layouts_.emplace(type, std::move(l)).first->second;
}

uint64_t Layouts::std430_align(const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) return std430_align(array->element);
  const auto* structure = sem::as_struct(type);
  return structure != nullptr ? layout(structure).std430_align : sem::align_of(type);
}

bool Layouts::has_padding(const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) return has_padding(array->element);
  const auto* structure = sem::as_struct(type);
  return structure != nullptr && layout(structure).has_padding;
}

uint64_t Layouts::scalar_count(const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) {
    if (array->count_kind == sem::Array::Count::Runtime) return 0;
    const uint64_t element = scalar_count(array->element);
    return array->count > kMany / std::max<uint64_t>(element, 1) ? kMany : element * array->count;
  }
  if (const auto* structure = sem::as_struct(type)) return layout(structure).scalars;
  if (const auto* matrix = sem::as_matrix(type)) return uint64_t{matrix->columns} * matrix->rows;
  return sem::width_of(type);
}

}  // namespace kem::wgsl::glsl
