// Conversions and value constructors (spec "Conversion Rank", "Floating Point Conversion", "Value Constructor
// Built-in Functions").
#include <cmath>
#include <limits>
#include <vector>

#include "base/small_vector.h"
#include "wgsl/sem/const_eval_impl.h"
#include "wgsl/sem/half.h"

namespace kem::wgsl::sem {

using detail::component_count;
using detail::component_type;
using detail::error;
using detail::lane;

namespace {

struct IntegerRange {
  int64_t lowest, highest;
};

IntegerRange range_of(TypeKind kind) {
  if (kind == TypeKind::I32) return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  if (kind == TypeKind::U32) return {0, std::numeric_limits<uint32_t>::max()};
  return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
}

tl::unexpected<std::string> not_representable(const Value* value, const Type* target) {
  return error("value " + spelling(value) + " cannot be represented as '" + spelling(target) + "'");
}

// Into a floating point type: an error outside the finite range, even where rounding would come back into it.
Evaluated to_real(ConstEval& eval, const Value* value, double number, const Type* target) {
  if (std::fabs(number) > detail::max_finite(target->kind)) return not_representable(value, target);
  return eval.real(target, number);
}

// Spec "scalar floating point to integral conversion": the truncated value, clamped to the nearest one that is in
// both the integer type and the original floating point type.
int64_t truncate_to(TypeKind target, TypeKind source, double value) {
  const IntegerRange range = range_of(target);
  double highest = static_cast<double>(range.highest);  // exact for i32 and u32
  if (source == TypeKind::F32) highest = target == TypeKind::I32 ? 2147483520.0 : 4294967040.0;
  const double whole = std::trunc(value);
  if (whole >= highest) return static_cast<int64_t>(highest);
  if (whole <= static_cast<double>(range.lowest)) return range.lowest;
  return static_cast<int64_t>(whole);
}

Evaluated cast_to_integer(ConstEval& eval, const Value* value, const Type* target) {
  const Type* source = value->type;
  if (source->is(TypeKind::Bool)) return eval.integer(target, value->boolean ? 1 : 0);
  if (source->is_float_scalar()) return eval.integer(target, truncate_to(target->kind, source->kind, value->real));
  if (source->is(TypeKind::AbstractInt)) {
    const IntegerRange range = range_of(target->kind);
    if (value->integer < range.lowest || value->integer > range.highest) return not_representable(value, target);
    return eval.integer(target, value->integer);
  }
  return eval.integer(target, detail::wrap(target->kind, value->integer));
}

Evaluated cast_scalar(ConstEval& eval, const Value* value, const Type* target) {
  if (value->type == target) return value;
  if (target->is(TypeKind::Bool)) return eval.boolean(!ConstEval::is_zero(value));
  if (target->is_integer_scalar()) return cast_to_integer(eval, value, target);
  if (value->type->is(TypeKind::Bool)) return eval.real(target, value->boolean ? 1 : 0);
  return to_real(eval, value, value->type->is_integer_scalar() ? static_cast<double>(value->integer) : value->real,
                 target);
}

// Every scalar of a value, into a type of the same shape.
Evaluated cast_scalars(ConstEval& eval, const Value* value, const Type* target) {
  if (value->type == target) return value;
  if (target->is_scalar()) return cast_scalar(eval, value, target);
  if (value->is_zero_composite()) return eval.zero(target);
  std::vector<const Value*> components;
  components.reserve(value->components.size());
  for (size_t i = 0; i < value->components.size(); ++i) {
    Evaluated component = cast_scalars(eval, value->components[i], component_type(target, i));
    if (!component) return component;
    components.push_back(*component);
  }
  return eval.composite(target, components);
}

// The scalars of a constructor's arguments, vectors flattened.
SmallVector<const Value*, 16> flatten(ConstEval& eval, std::span<const Value* const> arguments) {
  SmallVector<const Value*, 16> scalars;
  for (const Value* argument : arguments) {
    for (uint32_t i = 0; i < width_of(argument->type); ++i) scalars.push_back(lane(eval, argument, i));
  }
  return scalars;
}

Evaluated construct_vector(ConstEval& eval, const Vector* type, std::span<const Value* const> arguments) {
  SmallVector<const Value*, 16> scalars = flatten(eval, arguments);
  while (scalars.size() < type->width) scalars.push_back(scalars[0]);  // of one scalar
  for (const Value*& scalar : scalars) {
    Evaluated converted = cast_scalar(eval, scalar, type->element);
    if (!converted) return converted;
    scalar = *converted;
  }
  return eval.composite(type, scalars);
}

Evaluated construct_matrix(ConstEval& eval, const Matrix* type, std::span<const Value* const> arguments) {
  if (arguments.size() == 1) return eval.cast(arguments[0], type);
  const SmallVector<const Value*, 16> scalars = flatten(eval, arguments);
  std::vector<const Value*> columns;
  for (uint32_t i = 0; i < type->columns; ++i) {
    const auto column = std::span(scalars).subspan(size_t{i} * type->rows, type->rows);
    Evaluated made = construct_vector(eval, type->column, column);
    if (!made) return made;
    columns.push_back(*made);
  }
  return eval.composite(type, columns);
}

}  // namespace

Evaluated ConstEval::convert(const Value* value, const Type* target) {
  if (value->type == target) return value;
  if (!charge(1 + value->components.size())) return out_of_steps();
  return cast_scalars(*this, value, target);
}

// The automatic conversions are those explicit ones that start at an abstract type, so one rule serves both.
Evaluated ConstEval::cast(const Value* value, const Type* target) { return convert(value, target); }

Evaluated ConstEval::construct(const Type* type, std::span<const Value* const> arguments) {
  if (arguments.empty()) return zero(type);
  if (!charge(component_count(type) + 1)) return out_of_steps();
  if (type->is_scalar()) return cast(arguments[0], type);
  if (const Vector* vector = as_vector(type)) return construct_vector(*this, vector, arguments);
  if (const Matrix* matrix = as_matrix(type)) return construct_matrix(*this, matrix, arguments);
  return composite(type, arguments);
}

}  // namespace kem::wgsl::sem
