#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <tuple>

#include "wgsl/sem/type.h"

namespace kem::wgsl::sem {
namespace {

constexpr uint8_t kPlain = kConstructible | kHostShareable | kCreationFixed | kFixed;
constexpr uint8_t kAll = kConstructible | kHostShareable | kCreationFixed | kFixed;    // hold if all components do
constexpr uint8_t kAny = kAbstract | kContainsAtomic | kContainsF16 | kContainsArray;  // hold if one component does

uint64_t round_up(uint64_t alignment, uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

uint8_t array_traits(const Type* element, Array::Count count) {
  uint8_t traits = element->traits | kContainsArray;
  if (count == Array::Count::Runtime) traits &= static_cast<uint8_t>(~(kConstructible | kCreationFixed | kFixed));
  if (count == Array::Count::Override)
    traits &= static_cast<uint8_t>(~(kConstructible | kHostShareable | kCreationFixed));
  return traits;
}

}  // namespace

struct TypeTable::Tables {
  explicit Tables(std::pmr::memory_resource* types) : memory(types) {}

  std::pmr::memory_resource* memory;  // the types' own
  // By the element's kind and the width: elements are scalars, each of which there is once.
  std::array<std::array<const Vector*, 5>, 32> vectors{};
  std::pmr::map<std::tuple<const Type*, uint32_t, uint32_t>, const Matrix*> matrices{memory};
  std::pmr::map<std::tuple<const Type*, Array::Count, uint64_t, const ast::Expr*>, const Array*> arrays{memory};
  std::pmr::map<const Type*, const Atomic*> atomics{memory};
  std::pmr::map<std::tuple<TypeKind, AddressSpace, const Type*, AccessMode>, const MemoryView*> views{memory};
  std::pmr::map<std::tuple<TextureKind, TextureDimension, const Type*, std::string_view, AccessMode>, const Texture*>
      textures{memory};
  std::pmr::map<bool, const Sampler*> samplers{memory};
  std::pmr::map<std::tuple<Array::Count, uint64_t, const ast::Expr*>, const Buffer*> buffers{memory};
  std::pmr::map<std::pair<std::string_view, const Type*>, const Struct*> results{memory};
  std::array<const MemoryView*, 256> recent_views{};

  const Array* array(Arena& arena, const Type* element, Array::Count kind, uint64_t count, const ast::Expr* expr) {
    const Array*& entry = arrays[{element, kind, count, expr}];
    if (entry == nullptr) {
      Array array{{TypeKind::Array, array_traits(element, kind)}, 1 + nest_depth(element), element, kind, count, expr};
      entry = arena.make<Array>(array);
    }
    return entry;
  }

  const Buffer* buffer(Arena& arena, Array::Count kind, uint64_t bytes, const ast::Expr* expr) {
    const Buffer*& entry = buffers[{kind, bytes, expr}];
    uint8_t traits = kHostShareable;
    if (kind != Array::Count::Runtime) traits |= kFixed;
    if (kind == Array::Count::Fixed) traits |= kCreationFixed;
    if (entry == nullptr) entry = arena.make<Buffer>(Buffer{{TypeKind::Buffer, traits}, kind, bytes, expr});
    return entry;
  }

  // A module asks for the same few views again and again.
  const MemoryView* view(Arena& arena, TypeKind kind, AddressSpace space, const Type* store, AccessMode access) {
    const size_t slot = (reinterpret_cast<uintptr_t>(store) / 16 + static_cast<size_t>(space) * 5 +
                         static_cast<size_t>(kind) * 31 + static_cast<size_t>(access)) %
                        recent_views.size();
    const MemoryView*& recent = recent_views[slot];
    if (recent != nullptr && recent->store == store && recent->kind == kind && recent->space == space &&
        recent->access == access) {
      return recent;
    }
    const MemoryView*& entry = views[{kind, space, store, access}];
    if (entry == nullptr) entry = arena.make<MemoryView>(MemoryView{{kind, 0}, space, store, access});
    return recent = entry;
  }
};

TypeTable::TypeTable()
    : tables_(std::make_unique<Tables>(arena_.resource())),
      void_{TypeKind::Void, 0},
      abstract_int_{TypeKind::AbstractInt, kConstructible | kCreationFixed | kFixed | kAbstract},
      abstract_float_{TypeKind::AbstractFloat, kConstructible | kCreationFixed | kFixed | kAbstract},
      bool_{TypeKind::Bool, kConstructible | kCreationFixed | kFixed},
      i32_{TypeKind::I32, kPlain},
      u32_{TypeKind::U32, kPlain},
      f32_{TypeKind::F32, kPlain},
      f16_{TypeKind::F16, kPlain | kContainsF16} {}

TypeTable::~TypeTable() = default;

const Vector* TypeTable::vec(const Type* element, uint32_t width) {
  const Vector*& entry = tables_->vectors[static_cast<size_t>(element->kind)][width];
  if (entry == nullptr) entry = arena_.make<Vector>(Vector{{TypeKind::Vector, element->traits}, element, width});
  return entry;
}

const Matrix* TypeTable::mat(const Type* element, uint32_t columns, uint32_t rows) {
  const Vector* column = vec(element, rows);
  const Matrix*& entry = tables_->matrices[{element, columns, rows}];
  if (entry == nullptr)
    entry = arena_.make<Matrix>(Matrix{{TypeKind::Matrix, element->traits}, element, columns, rows, column});
  return entry;
}

const Array* TypeTable::array(const Type* element, uint64_t count) {
  return tables_->array(arena_, element, Array::Count::Fixed, count, nullptr);
}

const Array* TypeTable::runtime_array(const Type* element) {
  return tables_->array(arena_, element, Array::Count::Runtime, 0, nullptr);
}

const Array* TypeTable::override_array(const Type* element, const ast::Expr* count) {
  return tables_->array(arena_, element, Array::Count::Override, 0, count);
}

const Atomic* TypeTable::atomic(const Type* element) {
  const Atomic*& entry = tables_->atomics[element];
  if (entry == nullptr) {
    const uint8_t traits = kHostShareable | kCreationFixed | kFixed | kContainsAtomic;
    entry = arena_.make<Atomic>(Atomic{{TypeKind::Atomic, traits}, element});
  }
  return entry;
}

const MemoryView* TypeTable::pointer(AddressSpace space, const Type* store, AccessMode access) {
  return tables_->view(arena_, TypeKind::Pointer, space, store, access);
}

const MemoryView* TypeTable::reference(AddressSpace space, const Type* store, AccessMode access) {
  return tables_->view(arena_, TypeKind::Reference, space, store, access);
}

const Texture* TypeTable::texture(TextureKind kind, TextureDimension dimension, const Type* sampled,
                                  std::string_view texel_format, AccessMode access) {
  const Texture*& entry = tables_->textures[{kind, dimension, sampled, texel_format, access}];
  if (entry == nullptr)
    entry = arena_.make<Texture>(Texture{{TypeKind::Texture, 0}, kind, dimension, sampled, texel_format, access});
  return entry;
}

const Sampler* TypeTable::sampler(bool comparison) {
  const Sampler*& entry = tables_->samplers[comparison];
  if (entry == nullptr) entry = arena_.make<Sampler>(Sampler{{TypeKind::Sampler, 0}, comparison});
  return entry;
}

const Buffer* TypeTable::buffer(uint64_t bytes) { return tables_->buffer(arena_, Array::Count::Fixed, bytes, nullptr); }

const Buffer* TypeTable::runtime_buffer() { return tables_->buffer(arena_, Array::Count::Runtime, 0, nullptr); }

const Buffer* TypeTable::override_buffer(const ast::Expr* size) {
  return tables_->buffer(arena_, Array::Count::Override, 0, size);
}

const Struct* TypeTable::make_struct(std::string_view name, std::span<const StructMember> members,
                                     const ast::Struct* syntax) {
  std::span<StructMember> copies = arena_.copy(members);
  uint8_t all = kAll, any = 0;
  uint64_t offset = 0, align = 1;
  uint32_t depth = 0;
  for (uint32_t i = 0; i < copies.size(); i++) {
    StructMember& member = copies[i];
    all &= member.type->traits;
    any |= member.type->traits;
    depth = std::max(depth, nest_depth(member.type));
    member.index = i;
    if (member.align == 0) member.align = align_of(member.type);
    if (member.size == 0) member.size = size_of(member.type);
    member.offset = round_up(member.align, offset);
    offset = member.offset + member.size;
    align = std::max(align, member.align);
  }
  const uint8_t traits = static_cast<uint8_t>(all | (any & kAny));
  return arena_.make<Struct>(
      Struct{{TypeKind::Struct, traits}, name, copies, align, 1 + depth, round_up(align, offset), syntax});
}

namespace {

std::string result_name(std::string_view function, const Type* type) {
  std::string text = "__" + std::string(function) + "_result_";
  if (const Vector* vector = as_vector(type)) text += "vec" + std::to_string(vector->width) + "_";
  return text + (scalar_of(type)->is_abstract_scalar() ? "abstract" : spelling(scalar_of(type)));
}

StructMember result_member(std::string_view name, const Type* type) {
  return StructMember{name, type, 0, 0, 0, 0, nullptr};
}

}  // namespace

const Struct* TypeTable::frexp_result(const Type* type) {
  const Struct*& entry = tables_->results[{"frexp", type}];
  if (entry == nullptr) {
    const bool abstract = scalar_of(type)->is_abstract_scalar();
    const Type* exponent = with_scalar(type, abstract ? abstract_int() : i32());
    const StructMember members[] = {result_member("fract", type), result_member("exp", exponent)};
    entry = make_struct(arena_.copy(result_name("frexp", type)), members, nullptr);
  }
  return entry;
}

const Struct* TypeTable::modf_result(const Type* type) {
  const Struct*& entry = tables_->results[{"modf", type}];
  if (entry == nullptr) {
    const StructMember members[] = {result_member("fract", type), result_member("whole", type)};
    entry = make_struct(arena_.copy(result_name("modf", type)), members, nullptr);
  }
  return entry;
}

const Struct* TypeTable::compare_exchange_result(const Type* type) {
  const Struct*& entry = tables_->results[{"atomicCompareExchangeWeak", type}];
  if (entry == nullptr) {
    const StructMember members[] = {result_member("old_value", type), result_member("exchanged", bool_type())};
    entry = make_struct(arena_.copy(result_name("atomic_compare_exchange", type)), members, nullptr);
  }
  return entry;
}

const Type* TypeTable::with_scalar(const Type* type, const Type* scalar) {
  if (const Vector* vector = as_vector(type)) return vec(scalar, vector->width);
  if (const Matrix* matrix = as_matrix(type)) return mat(scalar, matrix->columns, matrix->rows);
  return scalar;
}

}  // namespace kem::wgsl::sem
