// Value constructors (spec "Constructor Built-in Functions").
#include <algorithm>

#include "wgsl/quoted.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

bool all_constant(std::span<const Argument> arguments) {
  return std::all_of(arguments.begin(), arguments.end(), [](const Argument& a) { return a.constant; });
}

}  // namespace

const Type* Resolver::construct(const ast::Call& e, const Entity& entity) {
  const ast::Identifier& callee = *e.callee;
  if (entity.kind == Entity::Kind::Generator && !callee.has_template_list) {
    const Generator& generator = entity.generator;
    switch (generator.kind) {
      case Generator::Kind::Vector:
        return construct_vector(e, generator.rows, nullptr);
      case Generator::Kind::Matrix:
        return construct_matrix(e, generator.columns, generator.rows, nullptr);
      case Generator::Kind::Array:
        return construct_array(e, nullptr);
      default:
        break;
    }
  }
  if (const Type* result = type(e.callee)) return construct_type(e, result);
  for (const ast::Expr* argument_expr : e.args) value(argument_expr);  // for their own errors
  return nullptr;
}

const Type* Resolver::construct_type(const ast::Call& e, const Type* type) {
  if (!is_constructible(type)) {
    error(e.span, "values of type " + quoted(spelling(type)) + " cannot be constructed");
    return nullptr;
  }
  if (e.args.empty()) return construct_zero(e, type);
  if (const Vector* vector = as_vector(type)) return construct_vector(e, vector->width, vector->element);
  if (const Matrix* matrix = as_matrix(type))
    return construct_matrix(e, matrix->columns, matrix->rows, matrix->element);
  if (const Array* array = as_array(type)) return construct_array(e, array);
  if (const Struct* structure = as_struct(type)) return construct_struct(e, *structure);
  return construct_scalar(e, type);
}

const Type* Resolver::construct_zero(const ast::Call& e, const Type* type) {
  target(e, CallTarget::Kind::ZeroValue, type, {});
  return set(&e, type, Stage::Constant, eval_.zero(type));
}

const Type* Resolver::finish_construct(const ast::Call& e, CallTarget::Kind kind, const Type* type,
                                       std::span<const Type* const> parameters) {
  bool good = true;
  for (size_t i = 0; i < e.args.size(); i++) good &= convert(e.args[i], parameters[i]);
  if (!good) return nullptr;
  target(e, kind, type, parameters);
  const Stage stage = stage_of(e.args);
  if (stage != Stage::Constant || !has_value(e.args)) return set(&e, type, stage);
  if (kind == CallTarget::Kind::Convert) return set(&e, type, eval_.cast(at(e.args[0]).value, type));
  SmallVector<const Value*, 4> values;
  for (const ast::Expr* argument_expr : e.args) values.push_back(at(argument_expr).value);
  return set(&e, type, eval_.construct(type, values));
}

const Type* Resolver::bad_construction(const ast::Call& e, const std::string& name, std::span<const Argument> arguments,
                                       const std::string& expected) {
  std::string list;
  for (const Argument& given : arguments) list += (list.empty() ? "" : ", ") + spelling(given.type);
  Diagnostic& diagnostic = error(e.span, "no matching constructor for '" + name + "(" + list + ")'");
  if (!expected.empty()) diagnostic.notes.push_back({e.span, expected});
  return nullptr;
}

const Type* Resolver::construct_scalar(const ast::Call& e, const Type* type) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  if (given.size() != 1 || !given[0].type->is_scalar())
    return bad_construction(e, spelling(type), given, "expected one scalar");
  return finish_construct(e, CallTarget::Kind::Convert, type, std::span(&given[0].type, 1));
}

const Type* Resolver::construct_vector(const ast::Call& e, uint32_t width, const Type* scalar) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  const auto refuse = [&](const std::string& expected) {
    const std::string of = scalar != nullptr ? "<" + spelling(scalar) + ">" : "";
    return bad_construction(e, "vec" + std::to_string(width) + of, given, expected);
  };
  if (given.empty()) return construct_zero(e, types_.vec(scalar != nullptr ? scalar : types_.abstract_int(), width));

  uint32_t components = 0;
  SmallVector<const Type*, 4> scalars;
  for (const Argument& argument_given : given) {
    if (!argument_given.type->is_scalar() && !as_vector(argument_given.type))
      return refuse("its arguments are scalars and vectors");
    components += width_of(argument_given.type);
    scalars.push_back(scalar_of(argument_given.type));
  }
  const bool splat = given.size() == 1 && given[0].type->is_scalar();
  if (!splat && components != width)
    return refuse("expected " + std::to_string(width) + " components, found " + std::to_string(components));
  const bool vector_to_vector = given.size() == 1 && !splat;
  if (vector_to_vector && scalar != nullptr && !conversion_rank(scalars[0], scalar))
    return finish_construct(e, CallTarget::Kind::Convert, types_.vec(scalar, width), std::span(&given[0].type, 1));

  const Type* element = scalar != nullptr ? scalar : common_scalar(types_, scalars, all_constant(given));
  const bool convertible = element != nullptr && std::all_of(scalars.begin(), scalars.end(), [&](const Type* s) {
                             return conversion_rank(s, element).has_value();
                           });
  if (!convertible) return refuse("its components must have one type");
  SmallVector<const Type*, 4> parameters;
  for (const Argument& argument_given : given) parameters.push_back(types_.with_scalar(argument_given.type, element));
  return finish_construct(e, vector_to_vector ? CallTarget::Kind::Convert : CallTarget::Kind::Construct,
                          types_.vec(element, width), parameters);
}

const Type* Resolver::construct_matrix(const ast::Call& e, uint32_t columns, uint32_t rows, const Type* scalar) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  const std::string shape = "mat" + std::to_string(columns) + "x" + std::to_string(rows);
  const std::string name = shape + (scalar != nullptr ? "<" + spelling(scalar) + ">" : "");
  const std::string expected = "expected a " + shape + ", " + std::to_string(columns) + " columns of " +
                               std::to_string(rows) + " components, or " + std::to_string(columns * rows) + " scalars";
  if (given.empty()) {
    if (scalar != nullptr) return construct_zero(e, types_.mat(scalar, columns, rows));
    return bad_construction(e, name, given, expected);
  }
  std::vector<const Type*> scalars;
  bool all_scalars = true, all_columns = true;
  for (const Argument& argument_given : given) {
    scalars.push_back(scalar_of(argument_given.type));
    all_scalars &= argument_given.type->is_scalar();
    all_columns &= as_vector(argument_given.type) && width_of(argument_given.type) == rows;
  }
  const Matrix* from = as_matrix(given[0].type);
  const bool whole = given.size() == 1 && from != nullptr && from->columns == columns && from->rows == rows;
  if (!whole && !(all_scalars && given.size() == size_t{columns} * rows) && !(all_columns && given.size() == columns))
    return bad_construction(e, name, given, expected);
  if (whole && scalar != nullptr && !conversion_rank(scalars[0], scalar))
    return finish_construct(e, CallTarget::Kind::Convert, types_.mat(scalar, columns, rows),
                            std::span(&given[0].type, 1));
  const Type* element = scalar != nullptr ? scalar : common_scalar(types_, scalars, all_constant(given));
  const auto abstract_int = [&](const Type* s) { return s->is(TypeKind::AbstractInt); };
  if (scalar == nullptr && std::all_of(scalars.begin(), scalars.end(), abstract_int)) element = types_.abstract_float();
  const bool convertible = element != nullptr && element->is_float_scalar() &&
                           std::all_of(scalars.begin(), scalars.end(),
                                       [&](const Type* s) { return conversion_rank(s, element).has_value(); });
  if (!convertible) return bad_construction(e, name, given, "its components must have one floating point type");
  std::vector<const Type*> parameters;
  for (const Argument& argument_given : given) parameters.push_back(types_.with_scalar(argument_given.type, element));
  return finish_construct(e, whole ? CallTarget::Kind::Convert : CallTarget::Kind::Construct,
                          types_.mat(element, columns, rows), parameters);
}

const Type* Resolver::common_type(std::span<const Argument> arguments) {
  // The shape is the first argument's; array types nest until a scalar, vector or matrix is reached.
  const auto leaf = [](const Type* type) {
    while (const Array* array = as_array(type)) type = array->element;
    return type;
  };
  const Type* first = arguments[0].type;
  std::vector<const Type*> scalars;
  for (const Argument& given : arguments) scalars.push_back(scalar_of(leaf(given.type)));
  const bool numeric = std::all_of(scalars.begin(), scalars.end(), [](const Type* s) { return s->is_scalar(); });
  const Type* common = first;
  if (numeric) {
    const Type* scalar = common_scalar(types_, scalars, all_constant(arguments));
    if (scalar == nullptr) return nullptr;
    std::vector<uint64_t> counts;
    const Type* type = first;
    for (; as_array(type) != nullptr; type = as_array(type)->element) counts.push_back(as_array(type)->count);
    if (as_matrix(type) && scalar->is_integer_scalar()) return nullptr;
    common = types_.with_scalar(type, scalar);
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) common = types_.array(common, *count);
  } else if (!all_constant(arguments)) {
    common = concretize(types_, first);
  }
  const bool feasible = std::all_of(arguments.begin(), arguments.end(), [&](const Argument& given) {
    return conversion_rank(given.type, common).has_value();
  });
  return feasible ? common : nullptr;
}

const Type* Resolver::construct_array(const ast::Call& e, const Array* array) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  if (given.size() > options_.limits.array_constructor_elements) {
    error(e.span, "array constructor has " + std::to_string(given.size()) + " elements, the limit is " +
                      std::to_string(options_.limits.array_constructor_elements));
    return nullptr;
  }
  if (array == nullptr) {
    if (given.empty()) return bad_construction(e, "array", given, "its element type cannot be inferred");
    const Type* element = common_type(given);
    if (element == nullptr) return bad_construction(e, "array", given, "its elements must have one type");
    if (!is_constructible(element))
      return bad_construction(e, "array", given, "its element type must be constructible");
    array = types_.array(element, given.size());
    if (!check_nesting(array, e.span)) return nullptr;
  }
  if (given.size() != array->count) {
    error(e.span, "constructor of " + quoted(spelling(array)) + " takes " + std::to_string(array->count) +
                      " elements, has " + std::to_string(given.size()));
    return nullptr;
  }
  for (size_t i = 0; i < given.size(); i++) {
    if (conversion_rank(given[i].type, array->element)) continue;
    error(e.args[i]->span, "element " + std::to_string(i) + " of " + quoted(spelling(array)) + ": expected " +
                               quoted(spelling(array->element)) + ", found " + quoted(spelling(given[i].type)));
    return nullptr;
  }
  const std::vector<const Type*> parameters(given.size(), array->element);
  return finish_construct(e, CallTarget::Kind::Construct, array, parameters);
}

const Type* Resolver::construct_struct(const ast::Call& e, const Struct& structure) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  if (given.size() != structure.members.size()) {
    error(e.span, "constructor of structure " + quoted(structure.name) + " takes " +
                      std::to_string(structure.members.size()) + " members, has " + std::to_string(given.size()));
    return nullptr;
  }
  std::vector<const Type*> parameters;
  for (size_t i = 0; i < given.size(); i++) {
    const StructMember& wanted = structure.members[i];
    parameters.push_back(wanted.type);
    if (conversion_rank(given[i].type, wanted.type)) continue;
    error(e.args[i]->span, "member " + quoted(wanted.name) + " of structure " + quoted(structure.name) + ": expected " +
                               quoted(spelling(wanted.type)) + ", found " + quoted(spelling(given[i].type)));
    return nullptr;
  }
  return finish_construct(e, CallTarget::Kind::Construct, &structure, parameters);
}

}  // namespace kem::wgsl::sem
