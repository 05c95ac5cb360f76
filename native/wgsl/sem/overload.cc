#include "wgsl/sem/overload.h"

#include <algorithm>
#include <bit>

#include "wgsl/sem/scope.h"

namespace kem::wgsl::sem {
namespace {

// The scalars in order of preference: for every source type the conversion ranks grow along this list.
enum Scalar : uint8_t { kAbstractInt, kI32, kU32, kAbstractFloat, kF32, kF16, kBool, kScalars };

const Type* scalar_type(const TypeTable& types, uint8_t scalar) {
  switch (scalar) {
    case kAbstractInt:
      return types.abstract_int();
    case kI32:
      return types.i32();
    case kU32:
      return types.u32();
    case kAbstractFloat:
      return types.abstract_float();
    case kF32:
      return types.f32();
    case kF16:
      return types.f16();
    default:
      return types.bool_type();
  }
}

std::optional<uint32_t> scalar_rank(TypeKind from, TypeKind to) {
  if (from == to) return 0;
  if (from == TypeKind::AbstractFloat) {
    if (to == TypeKind::F32) return 1;
    if (to == TypeKind::F16) return 2;
  }
  if (from == TypeKind::AbstractInt) {
    if (to == TypeKind::I32) return 3;
    if (to == TypeKind::U32) return 4;
    if (to == TypeKind::AbstractFloat) return 5;
    if (to == TypeKind::F32) return 6;
    if (to == TypeKind::F16) return 7;
  }
  return std::nullopt;
}

// The scalars that a value of each kind converts to, itself included: a bit each.
uint8_t scalars_from(TypeKind from) {
  constexpr uint8_t kInts = 1 << kI32 | 1 << kU32, kFloats = 1 << kAbstractFloat | 1 << kF32 | 1 << kF16;
  switch (from) {
    case TypeKind::AbstractInt:
      return 1 << kAbstractInt | kInts | kFloats;
    case TypeKind::AbstractFloat:
      return kFloats;
    case TypeKind::I32:
      return 1 << kI32;
    case TypeKind::U32:
      return 1 << kU32;
    case TypeKind::F32:
      return 1 << kF32;
    case TypeKind::F16:
      return 1 << kF16;
    case TypeKind::Bool:
      return 1 << kBool;
    default:
      return 0;
  }
}

constexpr uint8_t kAbstractScalars = 1 << kAbstractInt | 1 << kAbstractFloat;

// __frexp_result_abstract → __frexp_result_f32 and the like.
std::optional<uint32_t> result_struct_rank(const Struct& from, const Struct& to) {
  if (from.syntax != nullptr || to.syntax != nullptr || from.members.size() != to.members.size()) return std::nullopt;
  const size_t end = from.name.rfind('_');
  if (end == std::string_view::npos || from.name.substr(0, end + 1) != to.name.substr(0, to.name.rfind('_') + 1))
    return std::nullopt;
  return conversion_rank(from.members[0].type, to.members[0].type);
}

// A binding of an overload's variables to one call's arguments.
class Matcher {
 public:
  Matcher(TypeTable& types, const Overload& overload, bool allow_abstract)
      : types_(types), overload_(overload), allow_abstract_(allow_abstract) {
    feasible_.fill(allow_abstract ? 0xff : static_cast<uint8_t>(~kAbstractScalars));
  }

  std::optional<Match> match(std::span<const Argument> arguments) {
    for (size_t i = 0; i < arguments.size(); i++)
      if (!bind(overload_.parameters[i], arguments[i].type)) return std::nullopt;
    if (!choose_scalars()) return std::nullopt;
    Match match;
    match.overload = &overload_;
    for (size_t i = 0; i < arguments.size(); i++) {
      const Type* parameter = build(overload_.parameters[i], arguments[i].type);
      const auto rank = conversion_rank(arguments[i].type, parameter);
      if (!rank || (!allow_abstract_ && !is_concrete(parameter))) return std::nullopt;
      match.parameters.push_back(parameter);
      match.ranks.push_back(*rank);
    }
    match.result = overload_.result ? build(*overload_.result, nullptr) : types_.void_type();
    return match;
  }

 private:
  bool bind_scalar(uint8_t scalar, const Type* source) {
    if (scalar < Pattern::kFirstVariable) return true;  // conversion_rank tells
    return (feasible_[scalar - Pattern::kFirstVariable] &= scalars_from(source->kind)) != 0;
  }

  bool bind_dimension(uint8_t dimension, uint32_t actual) {
    if (dimension <= 4) return dimension == actual;
    if (actual == 1 && dimension != 'W') return false;
    uint8_t& bound = dimensions_[dimension - 'A'];
    if (bound == 0) bound = static_cast<uint8_t>(actual);
    return bound == actual;
  }

  bool bind_texture(const Pattern& pattern, const Type* type) {
    if (!type->is(TypeKind::Texture)) return false;
    const auto& texture = *static_cast<const Texture*>(type);
    if (texture.texture_kind != pattern.texture_kind || texture.dimension != pattern.dimension) return false;
    switch (texture.texture_kind) {
      case TextureKind::Sampled:
      case TextureKind::Multisampled:
        if (pattern.scalar < Pattern::kFirstVariable) return texture.sampled == scalar_type(types_, pattern.scalar);
        return bind_scalar(pattern.scalar, texture.sampled);
      case TextureKind::Storage:
        if (pattern.access == "r" && texture.access == AccessMode::Write) return false;
        if (pattern.access == "w" && texture.access == AccessMode::Read) return false;
        return bind_scalar(pattern.scalar, channel_type(types_, texture.texel_format));
      default:
        return true;
    }
  }

  bool bind(const Pattern& pattern, const Type* type) {
    switch (pattern.kind) {
      case Pattern::Kind::Shape: {
        const Matrix* matrix = as_matrix(type);
        if (matrix == nullptr && !as_vector(type) && !type->is_scalar()) return false;
        const uint32_t rows = matrix != nullptr ? matrix->rows : width_of(type);
        if ((matrix != nullptr) != (pattern.columns != 1)) return false;
        return bind_dimension(pattern.columns, matrix != nullptr ? matrix->columns : 1) &&
               bind_dimension(pattern.rows, rows) && bind_scalar(pattern.scalar, scalar_of(type));
      }
      case Pattern::Kind::AtomicPointer: {
        const MemoryView* pointer = as_pointer(type);
        if (pointer == nullptr || pointer->access != AccessMode::ReadWrite) return false;
        if (pointer->space != AddressSpace::Storage && pointer->space != AddressSpace::Workgroup) return false;
        const Atomic* atomic = as_atomic(pointer->store);
        return atomic != nullptr && bind_scalar(pattern.scalar, atomic->element);
      }
      case Pattern::Kind::Texture:
        return bind_texture(pattern, type);
      case Pattern::Kind::Sampler:
        return type == types_.sampler(pattern.comparison);
      default:
        return false;
    }
  }

  bool choose_scalars() {
    for (size_t v = 0; v < overload_.variables.size(); v++) {
      const auto possible = static_cast<uint8_t>(overload_.variables[v] & feasible_[v]);
      if (possible == 0) return false;
      chosen_[v] = scalar_type(types_, static_cast<uint8_t>(std::countr_zero(possible)));
    }
    return true;
  }

  uint32_t dimension(uint8_t dimension) const { return dimension <= 4 ? dimension : dimensions_[dimension - 'A']; }

  const Type* shape(const Pattern& pattern) {
    const Type* scalar = pattern.scalar < Pattern::kFirstVariable ? scalar_type(types_, pattern.scalar)
                                                                  : chosen_[pattern.scalar - Pattern::kFirstVariable];
    const uint32_t columns = dimension(pattern.columns), rows = dimension(pattern.rows);
    if (columns > 1) return types_.mat(scalar, columns, rows);
    return rows > 1 ? types_.vec(scalar, rows) : scalar;
  }

  const Type* build(const Pattern& pattern, const Type* argument) {
    switch (pattern.kind) {
      case Pattern::Kind::Shape:
        return shape(pattern);
      case Pattern::Kind::FrexpResult:
        return types_.frexp_result(shape(pattern));
      case Pattern::Kind::ModfResult:
        return types_.modf_result(shape(pattern));
      case Pattern::Kind::ExchangeResult:
        return types_.compare_exchange_result(shape(pattern));
      default:
        return argument;
    }
  }

  TypeTable& types_;
  const Overload& overload_;
  bool allow_abstract_;
  std::array<uint8_t, Overload::kMaxVariables> feasible_;  // per variable, what all its arguments convert to
  std::array<const Type*, Overload::kMaxVariables> chosen_{};
  std::array<uint8_t, 26> dimensions_{};
};

// Spec "Overload Resolution" step 3.
bool preferred(const Match& a, const Match& b) {
  bool better = false;
  for (size_t i = 0; i < a.ranks.size(); i++) {
    if (a.ranks[i] > b.ranks[i]) return false;
    better |= a.ranks[i] < b.ranks[i];
  }
  return better;
}

}  // namespace

std::optional<uint32_t> conversion_rank(const Type* from, const Type* to) {
  if (from == to) return 0;
  if (from->kind != to->kind) return scalar_rank(from->kind, to->kind);
  switch (from->kind) {
    case TypeKind::Vector: {
      const auto &a = *static_cast<const Vector*>(from), &b = *static_cast<const Vector*>(to);
      return a.width == b.width ? scalar_rank(a.element->kind, b.element->kind) : std::nullopt;
    }
    case TypeKind::Matrix: {
      const auto &a = *static_cast<const Matrix*>(from), &b = *static_cast<const Matrix*>(to);
      const bool same = a.columns == b.columns && a.rows == b.rows;
      return same ? scalar_rank(a.element->kind, b.element->kind) : std::nullopt;
    }
    case TypeKind::Array: {
      const auto &a = *static_cast<const Array*>(from), &b = *static_cast<const Array*>(to);
      if (a.count_kind != Array::Count::Fixed || b.count_kind != Array::Count::Fixed || a.count != b.count)
        return std::nullopt;
      return conversion_rank(a.element, b.element);
    }
    case TypeKind::Struct:
      return result_struct_rank(*static_cast<const Struct*>(from), *static_cast<const Struct*>(to));
    default:
      return std::nullopt;
  }
}

const Type* common_scalar(TypeTable& types, std::span<const Type* const> scalars, bool allow_abstract) {
  for (uint8_t scalar = 0; scalar < kScalars; scalar++) {
    const Type* candidate = scalar_type(types, scalar);
    if (!allow_abstract && candidate->is_abstract_scalar()) continue;
    const bool feasible = std::all_of(scalars.begin(), scalars.end(), [&](const Type* source) {
      return scalar_rank(source->kind, candidate->kind).has_value();
    });
    if (feasible) return candidate;
  }
  return nullptr;
}

const Type* concretize(TypeTable& types, const Type* type) {
  if (is_concrete(type)) return type;
  if (const Array* array = as_array(type)) return types.array(concretize(types, array->element), array->count);
  if (const Struct* structure = as_struct(type)) {
    const Type* first = concretize(types, structure->members[0].type);
    return structure->name.starts_with("__frexp") ? types.frexp_result(first) : types.modf_result(first);
  }
  return types.with_scalar(type, scalar_of(type)->is(TypeKind::AbstractInt) ? types.i32() : types.f32());
}

Match resolve_overload(TypeTable& types, std::span<const Overload> overloads, std::span<const Argument> arguments) {
  const bool allow_abstract =
      std::all_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.constant; });
  LocalMemory memory;
  std::pmr::vector<Match> candidates(memory.resource());
  for (const Overload& overload : overloads) {
    if (arguments.size() != overload.parameters.size()) continue;
    if (auto match = Matcher(types, overload, allow_abstract).match(arguments)) candidates.push_back(std::move(*match));
  }
  for (Match& candidate : candidates) {
    const bool best = std::all_of(candidates.begin(), candidates.end(), [&](const Match& other) {
      return &other == &candidate || preferred(candidate, other);
    });
    if (best) return std::move(candidate);
  }
  return {};
}

const Match& OverloadMemory::resolve(TypeTable& types, std::span<const Overload> overloads,
                                     std::span<const Argument> arguments) {
  if (arguments.size() > kMostArguments) return other_ = resolve_overload(types, overloads, arguments);
  std::array<const Type*, kMostArguments> wanted{};
  bool constant = true;
  size_t hash = reinterpret_cast<uintptr_t>(overloads.data()) / 16;
  for (size_t k = 0; k < arguments.size(); ++k) {
    wanted[k] = arguments[k].type;
    constant &= arguments[k].constant;
    hash = hash * 31 + reinterpret_cast<uintptr_t>(wanted[k]) / 16;
  }
  // Fibonacci hashing: of the product the highest bits depend on all of the addresses.
  hash = (hash * 2 + (constant ? 1 : 0)) * 0x9e3779b97f4a7c15u;
  if (entries_.size() == kMostEntries) {
    entries_.clear();
    places_.fill(kNone);
  }
  size_t place = hash >> (64 - kPlaceBits);
  for (; places_[place] != kNone; place = (place + 1) % places_.size()) {
    const Entry& entry = entries_[places_[place]];
    if (entry.overloads == overloads.data() && entry.types == wanted && entry.constant == constant) return entry.match;
  }
  places_[place] = static_cast<uint8_t>(entries_.size());
  entries_.push_back({overloads.data(), wanted, constant, resolve_overload(types, overloads, arguments)});
  return entries_.back().match;
}

}  // namespace kem::wgsl::sem
