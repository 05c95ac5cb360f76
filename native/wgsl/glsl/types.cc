#include "wgsl/glsl/types.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace kem::wgsl::glsl {
namespace {

using sem::TypeKind;

std::string_view scalar_text(TypeKind kind) {
  switch (kind) {
    case TypeKind::Bool:
      return "bool";
    case TypeKind::I32:
      return "int";
    case TypeKind::U32:
      return "uint";
    case TypeKind::F16:
      return "float16_t";
    case TypeKind::F32:
      return "float";
    default:
      return "void";
  }
}

// Nine digits tell any f32 from its neighbours.
void append_decimal(Text& out, double value) {
  std::array<char, 32> digits{};
  // Whole numbers of up to nine digits read the same as integers, which are much less work.
  const bool whole = std::abs(value) < 1e9 && value == std::trunc(value) && !(value == 0 && std::signbit(value));
  const auto end = whole ? std::to_chars(digits.begin(), digits.end(), static_cast<int64_t>(value)).ptr
                         : std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 9).ptr;
  const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

std::string_view vector_prefix(TypeKind kind) {
  switch (kind) {
    case TypeKind::Bool:
      return "bvec";
    case TypeKind::I32:
      return "ivec";
    case TypeKind::U32:
      return "uvec";
    case TypeKind::F16:
      return "f16vec";
    default:
      return "vec";
  }
}

std::string_view zero_scalar(const sem::Type* type) {
  switch (type->kind) {
    case TypeKind::Bool:
      return "false";
    case TypeKind::I32:
      return "0";
    case TypeKind::U32:
      return "0u";
    case TypeKind::F16:
      return "0.0hf";
    default:
      return "0.0";
  }
}

constexpr std::string_view kIndent = "  ";

// 2-byte steps of padding as members. std430 places each where the one before it ends.
void append_padding(Text& out, const Padding& padding, uint32_t& count) {
  const auto add = [&](std::string_view type, uint64_t n) {
    if (n == 0) return;
    ((out += kIndent) += type) += " kem_pad";
    out.number(count++);
    if (n > 1) {
      out += "[";
      out.number(static_cast<int64_t>(n));
      out += "]";
    }
    out += ";\n";
  };
  uint64_t bytes = padding.bytes;
  if (padding.at % 4 != 0 && bytes >= 2) {
    add("float16_t", 1);
    bytes -= 2;
  }
  add("uint", bytes / 4);
  add("float16_t", bytes % 4 / 2);
}

}  // namespace

void Types::append_text(Text& out, const sem::Type* type, Placement placement) {
  if (const auto* vector = sem::as_vector(type)) {
    out += vector_prefix(vector->element->kind);
    out += static_cast<char>('0' + vector->width);
  } else if (const auto* matrix = sem::as_matrix(type)) {
    out += std::string_view(matrix->element->is(TypeKind::F16) ? "f16mat" : "mat");
    out += static_cast<char>('0' + matrix->columns);
    out += 'x';
    out += static_cast<char>('0' + matrix->rows);
  } else if (const auto* array = sem::as_array(type)) {
    while (sem::as_array(type) != nullptr) type = sem::as_array(type)->element;
    append_text(out, type, placement);
    for (; array != nullptr; array = sem::as_array(array->element)) {
      out += '[';
      if (array->count_kind != sem::Array::Count::Runtime) out.number(static_cast<int64_t>(array->count));
      out += ']';
    }
  } else if (const auto* atomic = sem::as_atomic(type)) {
    out += scalar_text(atomic->element->kind);
  } else if (const auto* structure_type = sem::as_struct(type)) {
    const bool padded = placement == Placement::Buffer && layouts_.has_padding(type);
    out += structure(structure_type, padded ? Placement::Buffer : Placement::Plain);
  } else {
    out += scalar_text(type->kind);
  }
}

std::string Types::text(const sem::Type* type, Placement placement) {
  Text text;
  append_text(text, type, placement);
  return text.take();
}

std::string_view Types::structure(const sem::Struct* type, Placement placement) {
  if (const auto found = structures_.find({type, placement}); found != structures_.end()) return found->second;
  Text body;
  append_members(body, type, placement);  // declares the structures inside first
  const std::string_view name = names_.type(type->name);
  ((((declarations_ += "struct ") += name) += " {\n") += body.view()) += "};\n";
  return structures_[{type, placement}] = name;
}

void Types::append_members(Text& out, const sem::Struct* type, Placement placement) {
  uint32_t pads = 0;
  const std::vector<Padding>* padding = placement == Placement::Buffer ? &layouts_.padding_of(type) : nullptr;
  for (const auto& member : type->members) {
    if (padding != nullptr) append_padding(out, (*padding)[member.index], pads);
    out += kIndent;
    append_text(out, member.type, placement);
    out += ' ';
    Names::append_member(out, member.name, member.index);
    out += ";\n";
  }
  if (padding != nullptr) append_padding(out, padding->back(), pads);
}

std::string Types::zero(const sem::Type* type) {
  if (type->is_scalar()) return std::string(zero_scalar(type));
  sem::Value value{};
  value.type = type;
  return constant(&value);
}

std::string Types::constant(const sem::Value* value) {
  Text text;
  append_constant(text, value);
  return text.take();
}

void Types::append_constant(Text& out, const sem::Value* value) {
  if (value->type->is_scalar()) return append_scalar(out, *value);
  const auto* type = sem::as_vector(value->type);
  if (type == nullptr) {
    out += composite(*value);
    return;
  }
  append_text(out, type);
  out += '(';
  if (value->components.empty()) out += zero_scalar(type->element);
  for (size_t k = 0; k < value->components.size(); ++k) {
    if (k != 0) out += ", ";
    append_scalar(out, *value->components[k]);
  }
  out += ')';
}

void Types::append_scalar(Text& out, const sem::Value& value) {
  switch (value.type->kind) {
    case TypeKind::Bool:
      out += std::string_view(value.boolean ? "true" : "false");
      return;
    case TypeKind::I32:
      if (value.integer == INT32_MIN) {
        out += "(-2147483647 - 1)";
      } else {
        out.number(value.integer);
      }
      return;
    case TypeKind::U32:
      out.number(value.integer);
      out += 'u';
      return;
    default:
      append_decimal(out, value.real);
      if (value.type->is(TypeKind::F16)) out += "hf";
      return;
  }
}

// Arrays and structures, as global constants; matrices in place. Zero values are written out: glslang folds
// constants, but not those with a null initializer (GL_EXT_null_initializer), on which it fails.
std::string Types::composite(const sem::Value& value) {
  if (const auto found = by_value_.find(&value); found != by_value_.end()) return std::string(found->second);
  const bool zero_value = value.components.empty();
  const bool matrix = sem::as_matrix(value.type) != nullptr;
  if (zero_value && !matrix) {
    if (const auto found = zeros_.find(value.type); found != zeros_.end()) return std::string(found->second);
  }
  if (!(zero_value && matrix)) scalars_ += layouts_.scalar_count(value.type);
  if (too_large()) return "0";
  Text initial;
  append_text(initial, value.type);
  const size_t type_size = initial.size();
  initial += '(';
  if (zero_value && matrix) {
    initial += zero_scalar(sem::scalar_of(value.type));
  } else if (zero_value) {
    append_zero_components(initial, value.type);
  } else {
    append_components(initial, value);
  }
  initial += ')';
  if (matrix) return initial.take();
  const auto [place, is_new] = constants_.try_emplace(initial.take());
  const std::string_view text = place->first;
  std::string_view& name = place->second;
  if (is_new) {
    name = names_.value("constant");
    ((((declarations_ += "const ") += text.substr(0, type_size)) += ' ') += name) += " = ";
    (declarations_ += text) += ";\n";
  }
  if (zero_value) {
    zeros_[value.type] = name;
  } else {
    by_value_[&value] = name;
  }
  return std::string(name);
}

void Types::append_components(Text& out, const sem::Value& value) {
  bool first = true;
  for (const sem::Value* component : value.components) {
    if (!std::exchange(first, false)) out += ", ";
    append_constant(out, component);
  }
}

void Types::append_zero_components(Text& out, const sem::Type* type) {
  if (const auto* array = sem::as_array(type)) {
    const std::string element = zero(array->element);
    for (uint64_t k = 0; k < array->count && !too_large(); ++k) {
      if (k != 0) out += ", ";
      out += element;
    }
    return;
  }
  bool first = true;
  for (const auto& member : sem::as_struct(type)->members) {
    if (!std::exchange(first, false)) out += ", ";
    out += zero(member.type);
  }
}

}  // namespace kem::wgsl::glsl
