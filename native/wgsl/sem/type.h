// WGSL's types (spec "Types"). Interned by a TypeTable: equal types are the same pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"

namespace kem::wgsl::ast {
struct Expr;
struct Struct;
struct StructMember;
}  // namespace kem::wgsl::ast

namespace kem::wgsl::sem {

enum class TypeKind : uint8_t {
  Void,  // what a function without a return type returns; never a WGSL type
  AbstractInt,
  AbstractFloat,
  Bool,
  I32,
  U32,
  F32,
  F16,
  Vector,
  Matrix,
  Array,
  Struct,
  Atomic,
  Pointer,
  Reference,
  Texture,
  Sampler,
  Buffer
};

// Address space and access mode: spec "Address Spaces", "Memory Access Mode". Handle holds textures, samplers.
enum class AddressSpace : uint8_t { Function, Private, Workgroup, Uniform, Storage, Handle, Immediate };
enum class AccessMode : uint8_t { Read, Write, ReadWrite };
std::string_view name(AddressSpace space);
std::string_view name(AccessMode access);

// What a type is, computed once from its components (so that asking costs nothing whatever the nesting).
enum TypeTrait : uint8_t {
  kConstructible = 1,
  kHostShareable = 2,
  kCreationFixed = 4,  // creation-fixed footprint
  kFixed = 8,          // fixed footprint
  kAbstract = 16,      // is or contains an abstract numeric
  kContainsAtomic = 32,
  kContainsF16 = 64,
  kContainsArray = 128  // is or contains an array
};

struct Type {
  TypeKind kind;
  uint8_t traits = 0;  // TypeTrait bits: the predicates below, known since the type was made

  bool is(TypeKind k) const { return kind == k; }
  bool is_abstract_scalar() const { return kind == TypeKind::AbstractInt || kind == TypeKind::AbstractFloat; }
  bool is_integer_scalar() const {
    return kind == TypeKind::I32 || kind == TypeKind::U32 || kind == TypeKind::AbstractInt;
  }
  bool is_float_scalar() const {
    return kind == TypeKind::F32 || kind == TypeKind::F16 || kind == TypeKind::AbstractFloat;
  }
  bool is_numeric_scalar() const { return is_integer_scalar() || is_float_scalar(); }
  bool is_scalar() const { return is_numeric_scalar() || kind == TypeKind::Bool; }
};

struct Vector : Type {
  const Type* element;
  uint32_t width;  // 2, 3, 4
};

struct Matrix : Type {
  const Type* element;
  uint32_t columns;
  uint32_t rows;
  const Vector* column;  // vec<rows, element>
};

struct Array : Type {
  uint32_t depth = 0;  // NestDepth
  enum class Count : uint8_t { Fixed, Runtime, Override };
  const Type* element;
  Count count_kind;
  uint64_t count = 0;                     // Fixed
  const ast::Expr* count_expr = nullptr;  // Override: the override-expression; arrays of different expressions differ
};

struct StructMember {
  std::string_view name;
  const Type* type;
  uint32_t index;
  uint64_t offset;  // bytes, spec "Structure Member Layout"; 0 while the struct has no fixed footprint
  uint64_t align;
  uint64_t size;
  const ast::StructMember* syntax;  // null for built-in result structures
};

// A user's structure, or one that a builtin returns (__frexp_result_f32, __atomic_compare_exchange_result_i32 …).
struct Struct : Type {
  std::string_view name;
  std::span<const StructMember> members;
  uint64_t align = 0;
  uint32_t depth = 0;         // NestDepth
  uint64_t size = 0;          // of a runtime-sized structure: with one element of the array
  const ast::Struct* syntax;  // null for built-in result structures
  const StructMember* find(std::string_view member) const;
};

struct Atomic : Type {
  const Type* element;  // i32 or u32
};

// ptr<AS, T, AM>, and the reference type ref<AS, T, AM> that never appears in source.
struct MemoryView : Type {
  AddressSpace space;
  const Type* store;
  AccessMode access;
};

enum class TextureKind : uint8_t { Sampled, Multisampled, DepthMultisampled, Depth, Storage, External };
enum class TextureDimension : uint8_t { D1, D2, D2Array, D3, Cube, CubeArray };

struct Texture : Type {
  TextureKind texture_kind;
  TextureDimension dimension;
  const Type* sampled;            // Sampled, Multisampled: component type
  std::string_view texel_format;  // Storage
  AccessMode access;              // Storage
};

struct Sampler : Type {
  bool comparison;
};

// Memory without a structure of its own (spec "Buffer Types"): `buffer`, or `buffer<N>` with N bytes.
struct Buffer : Type {
  Array::Count size_kind;
  uint64_t bytes = 0;                    // Fixed
  const ast::Expr* size_expr = nullptr;  // Override
};

template <class T>
const T* type_as(const Type* type, TypeKind kind) {
  return type != nullptr && type->kind == kind ? static_cast<const T*>(type) : nullptr;
}

// Checked downcasts: null if `type` is null or of another kind.
inline const Vector* as_vector(const Type* type) { return type_as<Vector>(type, TypeKind::Vector); }
inline const Matrix* as_matrix(const Type* type) { return type_as<Matrix>(type, TypeKind::Matrix); }
inline const Array* as_array(const Type* type) { return type_as<Array>(type, TypeKind::Array); }
inline const Struct* as_struct(const Type* type) { return type_as<Struct>(type, TypeKind::Struct); }
inline const Atomic* as_atomic(const Type* type) { return type_as<Atomic>(type, TypeKind::Atomic); }
inline const Buffer* as_buffer(const Type* type) { return type_as<Buffer>(type, TypeKind::Buffer); }
inline const MemoryView* as_pointer(const Type* type) { return type_as<MemoryView>(type, TypeKind::Pointer); }
inline const MemoryView* as_reference(const Type* type) { return type_as<MemoryView>(type, TypeKind::Reference); }

// The scalar of a scalar, vector or matrix; the type itself otherwise.
inline const Type* scalar_of(const Type* type) {
  if (const Vector* vector = as_vector(type)) return vector->element;
  if (const Matrix* matrix = as_matrix(type)) return matrix->element;
  return type;
}
// Number of components of a vector, else 1.
inline uint32_t width_of(const Type* type) {
  const Vector* vector = as_vector(type);
  return vector != nullptr ? vector->width : 1;
}

// Spec "Constructible Types", "Storable Types", "Host-shareable Types", "Fixed-Footprint Types".
bool is_constructible(const Type* type);
bool is_storable(const Type* type);
bool is_host_shareable(const Type* type);
bool has_creation_fixed_footprint(const Type* type);
bool has_fixed_footprint(const Type* type);
bool is_concrete(const Type* type);
bool contains_atomic(const Type* type);
// Spec "Composite Types": NestDepth; 0 for what is not composite.
uint32_t nest_depth(const Type* type);

// Spec "Alignment and Size", in bytes. A runtime-sized array counts one element; override-sized arrays must have
// been substituted, and a runtime-sized buffer counts one word. bool counts 4, for the limits of the private and
// function address spaces.
uint64_t align_of(const Type* type);
uint64_t size_of(const Type* type);
uint64_t array_stride(const Array* array);

// The WGSL spelling, for diagnostics: "vec3<f32>", "ptr<storage, array<u32>, read_write>", "abstract-int".
std::string spelling(const Type* type);

// Creates types; equal ones are the same pointer. One table per Program; not thread-safe while it grows.
class TypeTable {
 public:
  TypeTable();
  ~TypeTable();

  const Type* void_type() const { return &void_; }
  const Type* abstract_int() const { return &abstract_int_; }
  const Type* abstract_float() const { return &abstract_float_; }
  const Type* bool_type() const { return &bool_; }
  const Type* i32() const { return &i32_; }
  const Type* u32() const { return &u32_; }
  const Type* f32() const { return &f32_; }
  const Type* f16() const { return &f16_; }

  const Vector* vec(const Type* element, uint32_t width);
  const Matrix* mat(const Type* element, uint32_t columns, uint32_t rows);
  const Array* array(const Type* element, uint64_t count);
  const Array* runtime_array(const Type* element);
  const Array* override_array(const Type* element, const ast::Expr* count);
  const Atomic* atomic(const Type* element);
  const MemoryView* pointer(AddressSpace space, const Type* store, AccessMode access);
  const MemoryView* reference(AddressSpace space, const Type* store, AccessMode access);
  const Texture* texture(TextureKind kind, TextureDimension dimension, const Type* sampled,
                         std::string_view texel_format, AccessMode access);
  const Sampler* sampler(bool comparison);
  const Buffer* buffer(uint64_t bytes);
  const Buffer* runtime_buffer();
  const Buffer* override_buffer(const ast::Expr* size);

  // A new structure: never equal to another. The members are copied; offsets, align and size are computed from
  // each member's `align` and `size` where they are not 0 (the attributes), else from its type.
  const Struct* make_struct(std::string_view name, std::span<const StructMember> members, const ast::Struct* syntax);

  // Built-in result structures, one per element type (spec "frexp", "modf", "atomicCompareExchangeWeak").
  const Struct* frexp_result(const Type* float_or_vector);
  const Struct* modf_result(const Type* float_or_vector);
  const Struct* compare_exchange_result(const Type* i32_or_u32);

  // `type` with its scalar replaced: vec3<abstract-int>, f32 -> vec3<f32>.
  const Type* with_scalar(const Type* type, const Type* scalar);

  Arena& arena() { return arena_; }

 private:
  struct Tables;
  Arena arena_;
  std::unique_ptr<Tables> tables_;
  Type void_, abstract_int_, abstract_float_, bool_, i32_, u32_, f32_, f16_;
};

}  // namespace kem::wgsl::sem
