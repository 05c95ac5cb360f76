#include "wgsl/glsl/types.h"

#include <array>
#include <charconv>
#include <cmath>

namespace kem::wgsl::glsl {
namespace {

using sem::TypeKind;

const char* scalar_text(TypeKind kind) {
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
void append_decimal(std::string& out, double value) {
  std::array<char, 32> digits{};
  // Whole numbers of up to nine digits read the same as integers, which are much less work.
  const bool whole = std::abs(value) < 1e9 && value == std::trunc(value) && !(value == 0 && std::signbit(value));
  const auto end = whole ? std::to_chars(digits.begin(), digits.end(), static_cast<int64_t>(value)).ptr
                         : std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 9).ptr;
  const std::string_view text(digits.data(), static_cast<size_t>(end - digits.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_integer(std::string& out, int64_t value) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
}

const char* vector_prefix(TypeKind kind) {
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

const char* zero_scalar(const sem::Type* type) {
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

// 2-byte steps of padding as members. std430 places each where the one before it ends.
std::string padding_members(const Padding& padding, std::string_view indent, uint32_t& count) {
  std::string text;
  const auto add = [&](const char* type, uint64_t n) {
    if (n == 0) return;
    text += std::string(indent) + type + " kem_pad" + std::to_string(count++);
    if (n > 1) text += "[" + std::to_string(n) + "]";
    text += ";\n";
  };
  uint64_t bytes = padding.bytes;
  if (padding.at % 4 != 0 && bytes >= 2) {
    add("float16_t", 1);
    bytes -= 2;
  }
  add("uint", bytes / 4);
  add("float16_t", bytes % 4 / 2);
  return text;
}

}  // namespace

void Types::append_text(std::string& out, const sem::Type* type) {
  if (type->is_scalar()) {
    out += scalar_text(type->kind);
  } else if (const auto* vector = sem::as_vector(type)) {
    out += vector_prefix(vector->element->kind);
    out += static_cast<char>('0' + vector->width);
  } else {
    out += text(type);
  }
}

std::string Types::text(const sem::Type* type, Placement placement) {
  if (const auto* vector = sem::as_vector(type)) {
    return vector_prefix(vector->element->kind) + std::to_string(vector->width);
  }
  if (const auto* matrix = sem::as_matrix(type)) {
    const char* prefix = matrix->element->is(TypeKind::F16) ? "f16mat" : "mat";
    return prefix + std::to_string(matrix->columns) + "x" + std::to_string(matrix->rows);
  }
  if (const auto* array = sem::as_array(type)) {
    std::string dimensions;
    for (; array != nullptr; array = sem::as_array(type)) {
      const bool runtime = array->count_kind == sem::Array::Count::Runtime;
      dimensions += runtime ? "[]" : "[" + std::to_string(array->count) + "]";
      type = array->element;
    }
    return text(type, placement) + dimensions;
  }
  if (const auto* atomic = sem::as_atomic(type)) return scalar_text(atomic->element->kind);
  if (const auto* structure_type = sem::as_struct(type)) {
    const bool padded = placement == Placement::Buffer && layouts_.has_padding(type);
    return structure(structure_type, padded ? Placement::Buffer : Placement::Plain);
  }
  return scalar_text(type->kind);
}

std::string Types::structure(const sem::Struct* type, Placement placement) {
  if (const auto found = structures_.find({type, placement}); found != structures_.end()) return found->second;
  const std::string body = members(type, placement, "  ");  // declares the structures inside first
  const std::string name = names_.type(type->name);
  declarations_ += "struct " + name + " {\n" + body + "};\n";
  structures_[{type, placement}] = name;
  return name;
}

std::string Types::members(const sem::Struct* type, Placement placement, std::string_view indent) {
  std::string body;
  uint32_t pads = 0;
  std::vector<Padding> padding(type->members.size() + 1);
  if (placement == Placement::Buffer) padding = layouts_.padding_of(type);
  for (const auto& member : type->members) {
    body += padding_members(padding[member.index], indent, pads);
    body += std::string(indent) + text(member.type, placement) + " " + Names::member(member.name, member.index) + ";\n";
  }
  return body + padding_members(padding.back(), indent, pads);
}

std::string Types::zero(const sem::Type* type) {
  if (type->is_scalar()) return zero_scalar(type);
  sem::Value value{};
  value.type = type;
  return constant(&value);
}

std::string Types::constant(const sem::Value* value) {
  std::string text;
  append_constant(text, value);
  return text;
}

void Types::append_constant(std::string& out, const sem::Value* value) {
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
    if (k != 0) out.append(", ", 2);
    append_scalar(out, *value->components[k]);
  }
  out += ')';
}

void Types::append_scalar(std::string& out, const sem::Value& value) {
  switch (value.type->kind) {
    case TypeKind::Bool:
      out += value.boolean ? "true" : "false";
      return;
    case TypeKind::I32:
      if (value.integer == INT32_MIN) {
        out += "(-2147483647 - 1)";
      } else {
        append_integer(out, value.integer);
      }
      return;
    case TypeKind::U32:
      append_integer(out, value.integer);
      out += 'u';
      return;
    default:
      append_decimal(out, value.real);
      if (value.type->is(TypeKind::F16)) out.append("hf", 2);
      return;
  }
}

// Arrays and structures, as global constants; matrices in place. Zero values are written out: glslang folds
// constants, but not those with a null initializer (GL_EXT_null_initializer), on which it fails.
std::string Types::composite(const sem::Value& value) {
  if (const auto found = by_value_.find(&value); found != by_value_.end()) return found->second;
  const bool zero_value = value.components.empty();
  if (zero_value && sem::as_matrix(value.type) != nullptr) {
    return text(value.type) + "(" + zero_scalar(sem::scalar_of(value.type)) + ")";
  }
  if (zero_value && zeros_.contains(value.type)) return zeros_[value.type];
  scalars_ += layouts_.scalar_count(value.type);
  if (too_large()) return "0";
  const std::string type = text(value.type);
  const std::string initial = type + "(" + (zero_value ? zero_components(value.type) : components(value)) + ")";
  if (sem::as_matrix(value.type) != nullptr) return initial;
  std::string& name = constants_[initial];
  if (name.empty()) {
    name = names_.value("constant");
    declarations_ += "const " + type + " " + name + " = " + initial + ";\n";
  }
  if (zero_value) {
    zeros_[value.type] = name;
  } else {
    by_value_[&value] = name;
  }
  return name;
}

std::string Types::components(const sem::Value& value) {
  std::string list;
  for (const sem::Value* component : value.components) list += (list.empty() ? "" : ", ") + constant(component);
  return list;
}

std::string Types::zero_components(const sem::Type* type) {
  std::string list;
  if (const auto* array = sem::as_array(type)) {
    const std::string element = zero(array->element);
    for (uint64_t k = 0; k < array->count && !too_large(); ++k) list += (k == 0 ? "" : ", ") + element;
  } else {
    for (const auto& member : sem::as_struct(type)->members) list += (list.empty() ? "" : ", ") + zero(member.type);
  }
  return list;
}

}  // namespace kem::wgsl::glsl
