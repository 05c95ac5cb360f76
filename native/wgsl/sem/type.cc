#include "wgsl/sem/type.h"

#include <algorithm>

namespace kem::wgsl::sem {
namespace {

template <class T>
const T* as(const Type* type, TypeKind kind) {
  return type != nullptr && type->kind == kind ? static_cast<const T*>(type) : nullptr;
}

bool has(const Type* type, TypeTrait trait) { return (type->traits & trait) != 0; }

uint64_t round_up(uint64_t alignment, uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

uint64_t scalar_size(const Type* scalar) { return scalar->kind == TypeKind::F16 ? 2 : 4; }

std::string join(std::string_view generator, const std::string& argument) {
  return std::string(generator) + "<" + argument + ">";
}

std::string_view texture_dimension(TextureDimension dimension) {
  switch (dimension) {
    case TextureDimension::D1:
      return "1d";
    case TextureDimension::D2:
      return "2d";
    case TextureDimension::D2Array:
      return "2d_array";
    case TextureDimension::D3:
      return "3d";
    case TextureDimension::Cube:
      return "cube";
    case TextureDimension::CubeArray:
      return "cube_array";
  }
  return "";
}

std::string spell_texture(const Texture& texture) {
  const std::string dimension(texture_dimension(texture.dimension));
  switch (texture.texture_kind) {
    case TextureKind::Sampled:
      return join("texture_" + dimension, spelling(texture.sampled));
    case TextureKind::Multisampled:
      return join("texture_multisampled_" + dimension, spelling(texture.sampled));
    case TextureKind::DepthMultisampled:
      return "texture_depth_multisampled_" + dimension;
    case TextureKind::Depth:
      return "texture_depth_" + dimension;
    case TextureKind::Storage:
      return join("texture_storage_" + dimension,
                  std::string(texture.texel_format) + ", " + std::string(name(texture.access)));
    case TextureKind::External:
      return "texture_external";
  }
  return "";
}

std::string spell_view(std::string_view generator, const MemoryView& view) {
  std::string text = std::string(name(view.space)) + ", " + spelling(view.store);
  if (view.space != AddressSpace::Handle) text += ", " + std::string(name(view.access));
  return join(generator, text);
}

std::string spell_buffer(const Buffer& buffer) {
  switch (buffer.size_kind) {
    case Array::Count::Fixed:
      return join("buffer", std::to_string(buffer.bytes));
    case Array::Count::Runtime:
      return "buffer";
    case Array::Count::Override:
      return join("buffer", "override-expression");
  }
  return "";
}

std::string spell_array(const Array& array) {
  switch (array.count_kind) {
    case Array::Count::Fixed:
      return join("array", spelling(array.element) + ", " + std::to_string(array.count));
    case Array::Count::Runtime:
      return join("array", spelling(array.element));
    case Array::Count::Override:
      return join("array", spelling(array.element) + ", override-expression");
  }
  return "";
}

}  // namespace

std::string_view name(AddressSpace space) {
  switch (space) {
    case AddressSpace::Function:
      return "function";
    case AddressSpace::Private:
      return "private";
    case AddressSpace::Workgroup:
      return "workgroup";
    case AddressSpace::Uniform:
      return "uniform";
    case AddressSpace::Storage:
      return "storage";
    case AddressSpace::Handle:
      return "handle";
    case AddressSpace::Immediate:
      return "immediate";
  }
  return "";
}

std::string_view name(AccessMode access) {
  switch (access) {
    case AccessMode::Read:
      return "read";
    case AccessMode::Write:
      return "write";
    case AccessMode::ReadWrite:
      return "read_write";
  }
  return "";
}

const StructMember* Struct::find(std::string_view member) const {
  const auto it = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == member; });
  return it == members.end() ? nullptr : &*it;
}

bool is_constructible(const Type* type) { return has(type, kConstructible); }
bool is_host_shareable(const Type* type) { return has(type, kHostShareable); }
bool has_creation_fixed_footprint(const Type* type) { return has(type, kCreationFixed); }
bool has_fixed_footprint(const Type* type) { return has(type, kFixed); }
bool is_concrete(const Type* type) { return !has(type, kAbstract); }
bool contains_atomic(const Type* type) { return has(type, kContainsAtomic); }

bool is_storable(const Type* type) {
  switch (type->kind) {
    case TypeKind::Void:
    case TypeKind::Pointer:
    case TypeKind::Reference:
      return false;
    default:
      return is_concrete(type);
  }
}

uint32_t nest_depth(const Type* type) {
  switch (type->kind) {
    case TypeKind::Vector:
      return 1;
    case TypeKind::Matrix:
      return 2;
    case TypeKind::Array:
      return static_cast<const Array*>(type)->depth;
    case TypeKind::Struct:
      return static_cast<const Struct*>(type)->depth;
    default:
      return 0;
  }
}

uint64_t align_of(const Type* type) {
  if (const Vector* vector = as_vector(type)) return scalar_size(vector->element) * (vector->width == 2 ? 2 : 4);
  if (const Matrix* matrix = as_matrix(type)) return align_of(matrix->column);
  if (const Array* array = as_array(type)) return align_of(array->element);
  if (const Struct* structure = as_struct(type)) return structure->align;
  return scalar_size(type);
}

uint64_t size_of(const Type* type) {
  if (const Vector* vector = as_vector(type)) return scalar_size(vector->element) * vector->width;
  if (const Matrix* matrix = as_matrix(type))
    return matrix->columns * round_up(align_of(matrix->column), size_of(matrix->column));
  if (const Array* array = as_array(type))
    return (array->count_kind == Array::Count::Fixed ? array->count : 1) * array_stride(array);
  if (const Struct* structure = as_struct(type)) return structure->size;
  if (const Buffer* buffer = as_buffer(type); buffer != nullptr && buffer->size_kind == Array::Count::Fixed)
    return buffer->bytes;
  return scalar_size(type);
}

uint64_t array_stride(const Array* array) { return round_up(align_of(array->element), size_of(array->element)); }

std::string spelling(const Type* type) {
  if (type == nullptr) return "error";
  switch (type->kind) {
    case TypeKind::Void:
      return "void";
    case TypeKind::AbstractInt:
      return "abstract-int";
    case TypeKind::AbstractFloat:
      return "abstract-float";
    case TypeKind::Bool:
      return "bool";
    case TypeKind::I32:
      return "i32";
    case TypeKind::U32:
      return "u32";
    case TypeKind::F32:
      return "f32";
    case TypeKind::F16:
      return "f16";
    case TypeKind::Vector: {
      const auto& vector = *static_cast<const Vector*>(type);
      return join("vec" + std::to_string(vector.width), spelling(vector.element));
    }
    case TypeKind::Matrix: {
      const auto& matrix = *static_cast<const Matrix*>(type);
      return join("mat" + std::to_string(matrix.columns) + "x" + std::to_string(matrix.rows), spelling(matrix.element));
    }
    case TypeKind::Array:
      return spell_array(*static_cast<const Array*>(type));
    case TypeKind::Struct:
      return std::string(static_cast<const Struct*>(type)->name);
    case TypeKind::Atomic:
      return join("atomic", spelling(static_cast<const Atomic*>(type)->element));
    case TypeKind::Pointer:
      return spell_view("ptr", *static_cast<const MemoryView*>(type));
    case TypeKind::Reference:
      return spell_view("ref", *static_cast<const MemoryView*>(type));
    case TypeKind::Texture:
      return spell_texture(*static_cast<const Texture*>(type));
    case TypeKind::Sampler:
      return static_cast<const Sampler*>(type)->comparison ? "sampler_comparison" : "sampler";
    case TypeKind::Buffer:
      return spell_buffer(*static_cast<const Buffer*>(type));
  }
  return "";
}

}  // namespace kem::wgsl::sem
