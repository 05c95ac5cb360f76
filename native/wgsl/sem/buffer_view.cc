#include "wgsl/sem/buffer_view.h"

#include <algorithm>

namespace kem::wgsl::sem {
namespace {

constexpr uint64_t kRow = 16;

const Array* runtime_array(const Type* type) {
  const Array* array = as_array(type);
  return array != nullptr && array->count_kind == Array::Count::Runtime ? array : nullptr;
}

std::string number(uint64_t n) { return std::to_string(n); }

}  // namespace

ViewShape view_shape(const Type* type) {
  if (const Array* array = runtime_array(type)) return {array_stride(array), 0, array_stride(array)};
  const Struct* structure = as_struct(type);
  if (structure != nullptr && !structure->members.empty()) {
    const StructMember& last = structure->members.back();
    if (const Array* array = runtime_array(last.type))
      return {last.offset + array_stride(array), last.offset, array_stride(array)};
  }
  return {size_of(type), 0, 0};
}

uint64_t required_align_of(const Type* type, AddressSpace space, bool standard_layout) {
  const uint64_t align = align_of(type);
  const bool rows = space == AddressSpace::Uniform && !standard_layout && (as_array(type) || as_struct(type));
  return rows ? std::max(align, kRow) : align;
}

std::string view_problem(const Type* type, uint64_t align, const ViewArguments& arguments) {
  const std::string name = "'" + spelling(type) + "'";
  if (arguments.offset && *arguments.offset < 0) return "the offset is " + std::to_string(*arguments.offset);
  if (arguments.size && *arguments.size < 0) return "the size is " + std::to_string(*arguments.size);
  const auto offset = static_cast<uint64_t>(arguments.offset.value_or(0));
  if (offset % align != 0)
    return "the offset " + number(offset) + " is not a multiple of " + number(align) + ", the alignment of " + name;
  const ViewShape shape = view_shape(type);
  uint64_t bytes = shape.min_size;
  if (arguments.size) {
    const auto size = static_cast<uint64_t>(*arguments.size);
    if (size < shape.min_size)
      return "a view of type " + name + " takes at least " + number(shape.min_size) + " bytes, its size is " +
             number(size);
    if ((size - shape.array_offset) % shape.stride != 0)
      return "the size " + number(size) + " is not a whole number of elements of " + number(shape.stride) + " bytes";
    bytes = size;
  }
  if (arguments.buffer_bytes && offset + bytes > *arguments.buffer_bytes)
    return "a view of type " + name + " ends at byte " + number(offset + bytes) + ", the buffer has " +
           number(*arguments.buffer_bytes);
  return {};
}

}  // namespace kem::wgsl::sem
