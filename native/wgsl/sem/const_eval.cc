// Values: making them, taking them apart, writing them down.
#include "wgsl/sem/const_eval.h"

#include <charconv>
#include <cmath>

#include "wgsl/sem/const_eval_impl.h"
#include "wgsl/sem/half.h"

namespace kem::wgsl::sem {

using detail::component_count;
using detail::component_type;
using detail::error;

namespace detail {

double round_to(TypeKind kind, double value) {
  if (kind == TypeKind::F32) return round_to_f32(value);
  if (kind == TypeKind::F16) return round_to_f16(value);
  return value;
}

double max_finite(TypeKind kind) {
  if (kind == TypeKind::F32) return kMaxF32;
  if (kind == TypeKind::F16) return kMaxF16;
  return std::numeric_limits<double>::max();
}

uint64_t component_count(const Type* type) {
  if (const Vector* vector = as_vector(type)) return vector->width;
  if (const Matrix* matrix = as_matrix(type)) return matrix->columns;
  if (const Array* array = as_array(type)) return array->count;
  if (const Struct* structure = as_struct(type)) return structure->members.size();
  return 0;
}

const Type* component_type(const Type* type, uint64_t index) {
  if (const Vector* vector = as_vector(type)) return vector->element;
  if (const Matrix* matrix = as_matrix(type)) return matrix->column;
  if (const Array* array = as_array(type)) return array->element;
  if (const Struct* structure = as_struct(type)) return structure->members[index].type;
  return nullptr;
}

namespace {

// Scalars held by the value, counted up to `limit`; a zero composite holds nothing and counts one.
uint64_t held_elements(const Value* value, uint64_t limit) {
  uint64_t count = value->components.empty() ? 1 : 0;
  for (const Value* component : value->components) {
    count += held_elements(component, limit);
    if (count > limit) break;
  }
  return count;
}

bool has_scalar_components(const Type* type) { return type->is(TypeKind::Vector) || type->is(TypeKind::Matrix); }

}  // namespace
}  // namespace detail

bool ConstEval::charge(uint64_t steps) {
  steps_ = steps > limits_.const_eval_steps - std::min(steps_, limits_.const_eval_steps) ? limits_.const_eval_steps + 1
                                                                                         : steps_ + steps;
  return steps_ <= limits_.const_eval_steps;
}

tl::unexpected<std::string> ConstEval::out_of_steps() const {
  return error("constant evaluation takes more than " + std::to_string(limits_.const_eval_steps) + " steps");
}

Value* ConstEval::allocate(const Type* type) {
  Value* value = values_.make<Value>();
  value->type = type;
  value->integer = 0;
  return value;
}

const Value* ConstEval::boolean(bool value) {
  Value* made = allocate(types_.bool_type());
  made->boolean = value;
  return made;
}

const Value* ConstEval::integer(const Type* type, int64_t value) {
  Value* made = allocate(type);
  made->integer = value;
  return made;
}

const Value* ConstEval::real(const Type* type, double value) {
  Value* made = allocate(type);
  made->real = detail::round_to(type->kind, value);
  return made;
}

Evaluated ConstEval::composite(const Type* type, std::span<const Value* const> components) {
  if (!detail::has_scalar_components(type)) {
    uint64_t count = 0;
    for (const Value* component : components) {
      count += detail::held_elements(component, limits_.composite_elements);
      if (count > limits_.composite_elements) {
        return error("a constant value of type '" + spelling(type) + "' holds more than " +
                     std::to_string(limits_.composite_elements) + " elements");
      }
    }
    if (!charge(count)) return out_of_steps();
  }
  Value* made = allocate(type);
  made->components = values_.copy(components);
  return made;
}

const Value* ConstEval::zero(const Type* type) {
  const Value*& zero = zeros_[type];
  if (zero == nullptr) {
    Value* made = allocate(type);
    if (type->is_float_scalar()) made->real = 0;
    if (type->is(TypeKind::Bool)) made->boolean = false;
    zero = made;
  }
  return zero;
}

const Value* ConstEval::literal(const ast::Literal& literal) {
  switch (literal.literal_kind) {
    case ast::LiteralKind::Bool:
      return boolean(literal.int_value != 0);
    case ast::LiteralKind::AbstractInt:
      return integer(types_.abstract_int(), literal.int_value);
    case ast::LiteralKind::I32:
      return integer(types_.i32(), literal.int_value);
    case ast::LiteralKind::U32:
      return integer(types_.u32(), literal.int_value);
    case ast::LiteralKind::AbstractFloat:
      return real(types_.abstract_float(), literal.float_value);
    case ast::LiteralKind::F32:
      return real(types_.f32(), literal.float_value);
    case ast::LiteralKind::F16:
      return real(types_.f16(), literal.float_value);
  }
  return nullptr;
}

const Value* ConstEval::component(const Value* composite, uint64_t index) {
  if (composite->components.empty()) return zero(component_type(composite->type, index));
  return composite->components[index];
}

Evaluated ConstEval::index(const Value* composite, const Value* i) {
  const uint64_t count = component_count(composite->type);
  if (i->integer < 0 || static_cast<uint64_t>(i->integer) >= count) {
    return error("index " + std::to_string(i->integer) + " is out of bounds: '" + spelling(composite->type) + "' has " +
                 std::to_string(count) + " elements");
  }
  return component(composite, static_cast<uint64_t>(i->integer));
}

Evaluated ConstEval::swizzle(const Value* vector, std::span<const uint8_t> indices, const Type* result) {
  if (!charge(indices.size())) return out_of_steps();
  if (indices.size() == 1) return component(vector, indices[0]);
  const Value* components[4];
  for (size_t i = 0; i < indices.size(); ++i) components[i] = component(vector, indices[i]);
  return composite(result, std::span<const Value* const>(components, indices.size()));
}

bool ConstEval::equal(const Value* a, const Value* b) {
  if (a == b) return true;
  if (a->type != b->type) return false;
  if (a->type->is(TypeKind::Bool)) return a->boolean == b->boolean;
  if (a->type->is_integer_scalar()) return a->integer == b->integer;
  if (a->type->is_float_scalar()) return a->real == b->real;
  if (a->components.empty() && b->components.empty()) return true;
  if (a->components.empty()) return is_zero(b);
  if (b->components.empty()) return is_zero(a);
  for (size_t i = 0; i < a->components.size(); ++i) {
    if (!equal(a->components[i], b->components[i])) return false;
  }
  return true;
}

bool ConstEval::is_zero(const Value* value) {
  if (value->type->is(TypeKind::Bool)) return !value->boolean;
  if (value->type->is_integer_scalar()) return value->integer == 0;
  if (value->type->is_float_scalar()) return value->real == 0;
  for (const Value* component : value->components) {
    if (!is_zero(component)) return false;
  }
  return true;
}

namespace {

// The shortest decimal that reads back as the value in its own type.
std::string real_spelling(TypeKind kind, double value) {
  char text[64];
  if (kind == TypeKind::F32) {
    return std::string(text, std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr);
  }
  if (kind == TypeKind::F16 && value == std::trunc(value)) return std::to_string(static_cast<int>(value));
  if (kind == TypeKind::F16) {
    for (int precision = 1; precision < 6; ++precision) {
      char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, precision).ptr;
      double read = 0;
      std::from_chars(text, end, read);
      if (round_to_f16(read) == value) return std::string(text, end);
    }
  }
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void append_spelling(const Value* value, size_t& budget, std::string& out) {
  if (value->type->is(TypeKind::Bool)) {
    out += value->boolean ? "true" : "false";
  } else if (value->type->is_integer_scalar()) {
    out += std::to_string(value->integer);
  } else if (value->type->is_float_scalar()) {
    out += real_spelling(value->type->kind, value->real);
  } else {
    out += spelling(value->type) + "(";
    const char* separator = "";
    for (const Value* component : value->components) {
      out += separator;
      if (budget == 0) {
        out += "...";
        break;
      }
      --budget;
      append_spelling(component, budget, out);
      separator = ", ";
    }
    out += ")";
  }
}

}  // namespace

std::string spelling(const Value* value) {
  size_t budget = 32;  // components: enough for any vector or matrix, short for a diagnostic
  std::string out;
  append_spelling(value, budget, out);
  return out;
}

}  // namespace kem::wgsl::sem
