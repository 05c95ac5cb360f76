#include "wgsl/glsl/types.h"

#include <array>
#include <charconv>

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
std::string decimal(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 9).ptr;
  return {digits.data(), end};
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
  if (value->type->is_scalar()) return scalar(*value);
  if (sem::as_vector(value->type) != nullptr) return vector(*value);
  return composite(*value);
}

std::string Types::scalar(const sem::Value& value) {
  switch (value.type->kind) {
    case TypeKind::Bool:
      return value.boolean ? "true" : "false";
    case TypeKind::I32:
      return value.integer == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value.integer);
    case TypeKind::U32:
      return std::to_string(value.integer) + "u";
    default:
      break;
  }
  std::string text = decimal(value.real);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value.type->is(TypeKind::F16) ? text + "hf" : text;
}

std::string Types::vector(const sem::Value& value) {
  const auto* type = sem::as_vector(value.type);
  std::string text = this->text(type) + "(";
  if (value.components.empty()) return text + zero_scalar(type->element) + ")";
  for (size_t k = 0; k < value.components.size(); ++k) text += (k == 0 ? "" : ", ") + scalar(*value.components[k]);
  return text + ")";
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
