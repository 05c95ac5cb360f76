// Expressions other than calls (spec "Expressions").
#include <algorithm>
#include <utility>

#include "wgsl/quoted.h"
#include "wgsl/sem/hints.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

std::string stage_problem(Stage latest) {
  return latest == Stage::Constant ? " must be a const-expression"
                                   : " must be a const-expression or override-expression";
}

}  // namespace

const Type* Resolver::set(const ast::Expr* e, const Type* type, Stage stage, const Value* value) {
  ExprInfo& info = at(e);
  info.type = type;
  info.stage = stage;
  info.value = value;
  return type;
}

const Type* Resolver::set(const ast::Expr* e, const Type* type, const Evaluated& value) {
  if (value) return set(e, type, Stage::Constant, *value);
  if (unevaluated_) return set(e, type, Stage::Constant, nullptr);
  error(e->span, value.error());
  return nullptr;
}

Stage Resolver::stage_of(std::span<const ast::Expr* const> operands) {
  Stage stage = Stage::Constant;
  for (const ast::Expr* operand : operands) stage = std::max(stage, at(operand).stage);
  return stage;
}

Stage Resolver::stage_of(std::initializer_list<const ast::Expr*> operands) {
  return stage_of(std::span(operands.begin(), operands.size()));
}

bool Resolver::has_value(std::span<const ast::Expr* const> operands) {
  return std::all_of(operands.begin(), operands.end(), [&](const ast::Expr* e) { return at(e).value != nullptr; });
}

Argument Resolver::argument(const ast::Expr* e) { return {at(e).used_as(), at(e).stage == Stage::Constant}; }

// Recurses as deep as the tree is high: at most ast::kMaxExpressionHeight.
const Type* Resolver::expr(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Literal:
      return literal(*static_cast<const ast::Literal*>(e));
    case ast::ExprKind::Identifier:
      return identifier(*static_cast<const ast::Identifier*>(e));
    case ast::ExprKind::Call: {
      const auto& called = *static_cast<const ast::Call*>(e);
      const Type* type = call(called);
      if (type == nullptr || !type->is(TypeKind::Void)) return type;
      error(e->span, "function " + quoted(called.callee->name()) + " does not return a value");
      return nullptr;
    }
    case ast::ExprKind::Index:
      return index(*static_cast<const ast::Index*>(e));
    case ast::ExprKind::Member:
      return member(*static_cast<const ast::Member*>(e));
    case ast::ExprKind::Unary:
      return unary(*static_cast<const ast::Unary*>(e));
    case ast::ExprKind::Binary:
      return binary(*static_cast<const ast::Binary*>(e));
  }
  return nullptr;
}

const Type* Resolver::value(const ast::Expr* e) {
  const Type* type = expr(e);
  const MemoryView* reference = as_reference(type);
  if (reference == nullptr) return type;
  const bool handle = reference->space == AddressSpace::Handle;
  if (!handle && !is_constructible(reference->store)) {
    Diagnostic& diagnostic = error(e->span, "cannot load a value of type " + quoted(spelling(reference->store)));
    hint_load(diagnostic, *e, reference->store);
    return nullptr;
  }
  at(e).target = reference->store;
  return reference->store;
}

bool Resolver::convert(const ast::Expr* e, const Type* target) {
  ExprInfo& info = at(e);
  if (info.used_as() == target) {
    info.target = target;
    return true;
  }
  info.target = target;
  if (info.value == nullptr) return true;
  Evaluated converted = eval_.convert(info.value, target);
  if (converted) {
    info.value = *converted;
    return true;
  }
  info.value = nullptr;
  if (unevaluated_) return true;
  error(e->span, converted.error());
  return false;
}

bool Resolver::value_as(const ast::Expr* e, const Type* target, std::string_view context) {
  const Type* type = value(e);
  if (type == nullptr || target == nullptr) return false;
  if (conversion_rank(type, target)) return convert(e, target);
  Diagnostic& diagnostic = error(
      e->span, std::string(context) + ": expected " + quoted(spelling(target)) + ", found " + quoted(spelling(type)));
  hint_conversion(diagnostic, e->span, type, target);
  return false;
}

const Type* Resolver::value_at(const ast::Expr* e, Stage latest, std::string_view what) {
  const Type* type = value(e);
  if (type == nullptr || at(e).stage <= latest) return type;
  Diagnostic& diagnostic = error(e->span, std::string(what) + stage_problem(latest));
  const Variable* variable = at(e).variable();
  if (variable != nullptr && at(e).stage == Stage::Runtime)
    diagnostic.notes.push_back(
        {variable->span, quoted(variable->name) + " declared here, has its value only when the kernel runs"});
  return nullptr;
}

const Type* Resolver::condition(const ast::Expr* e, std::string_view what) {
  const Type* type = value(e);
  if (type == nullptr || type->is(TypeKind::Bool)) return type;
  Diagnostic& diagnostic = error(e->span, std::string(what) + " must be bool, not " + quoted(spelling(type)));
  hint_condition(diagnostic, e->span, type);
  return nullptr;
}

const Type* Resolver::literal(const ast::Literal& e) {
  const Type* type = nullptr;
  switch (e.literal_kind) {
    case ast::LiteralKind::Bool:
      type = types_.bool_type();
      break;
    case ast::LiteralKind::AbstractInt:
      type = types_.abstract_int();
      break;
    case ast::LiteralKind::I32:
      type = types_.i32();
      break;
    case ast::LiteralKind::U32:
      type = types_.u32();
      break;
    case ast::LiteralKind::AbstractFloat:
      type = types_.abstract_float();
      break;
    case ast::LiteralKind::F32:
      type = types_.f32();
      break;
    case ast::LiteralKind::F16:
      type = types_.f16();
      if (!info_->enables_f16) {
        error(e.span, "literal of type 'f16' needs 'enable f16;'");
        return nullptr;
      }
      break;
  }
  return set(&e, type, Stage::Constant, eval_.literal(e));
}

const Type* Resolver::identifier(const ast::Identifier& e) {
  const Entity* entity = resolve_name(e);
  if (entity == nullptr || entity->kind == Entity::Kind::Error) return nullptr;
  if (entity->kind == Entity::Kind::Variable) {
    if (!e.has_template_list) return variable_use(e, *entity->variable);
    error(e.span, quoted(e.name()) + " does not take template arguments");
    return nullptr;
  }
  const bool callable = entity->kind == Entity::Kind::Function || entity->kind == Entity::Kind::Builtin;
  Diagnostic& diagnostic = error(e.span, "cannot use " + std::string(describe(*entity)) + " " + quoted(e.name()) +
                                             " as a value" + (callable ? ": a call needs '()'" : ""));
  note_declared(diagnostic, *entity, e.name());
  return nullptr;
}

const Type* Resolver::variable_use(const ast::Identifier& e, const Variable& variable) {
  if (variable.type == nullptr) return nullptr;
  use(&variable);
  at(&e).names(&variable);
  switch (variable.kind) {
    case Variable::Kind::Const:
      return set(&e, variable.type, Stage::Constant, variable.value);
    case Variable::Kind::Override:
      return set(&e, variable.type, Stage::Override);
    case Variable::Kind::Let:
    case Variable::Kind::Parameter:
    case Variable::Kind::Var:
      break;
  }
  // Spec "Continue Statement": a continuing block must not use what a `continue` may have skipped.
  for (auto jump = jumps_.rbegin(); jump != jumps_.rend(); ++jump) {
    if (jump->kind != Jump::Kind::Continuing) continue;
    const auto loop = std::next(jump);
    if (!loop->first_continue || variable.id < *loop->first_continue || variable.id >= jump->continuing_start) continue;
    Diagnostic& diagnostic =
        error(loop->continue_span,
              "'continue' bypasses the declaration of " + quoted(variable.name) + ", which the continuing block uses");
    diagnostic.notes.push_back({variable.span, quoted(variable.name) + " declared here"});
    diagnostic.notes.push_back({e.span, "used in the continuing block here"});
    return nullptr;
  }
  return set(&e, variable.kind == Variable::Kind::Var ? variable.reference : variable.type, Stage::Runtime);
}

const Type* Resolver::unary(const ast::Unary& e) {
  if (e.op == ast::UnaryOp::AddressOf) return address_of(e);
  if (e.op == ast::UnaryOp::Indirection) return indirection(e);
  if (value(e.operand) == nullptr) return nullptr;
  const Argument operand = argument(e.operand);
  const Match& match = overloads_.resolve(types_, signature(e.op), std::span(&operand, 1));
  if (match.overload == nullptr) {
    Diagnostic& diagnostic = no_overload(e.span, spelling(e.op), std::span(&operand, 1));
    if (!hint_operand(diagnostic, e, operand.type)) list_overloads(diagnostic, e.span, signature(e.op), 1);
    return nullptr;
  }
  if (!convert(e.operand, match.parameters[0])) return nullptr;
  const ExprInfo& info = at(e.operand);
  if (info.stage != Stage::Constant) return set(&e, match.result, info.stage);
  if (info.value == nullptr) return set(&e, match.result, Stage::Constant);
  return set(&e, match.result, eval_.unary(e.op, info.value, match.result));
}

const Type* Resolver::address_of(const ast::Unary& e) {
  const Type* type = expr(e.operand);
  if (type == nullptr) return nullptr;
  const MemoryView* view = as_reference(type);
  if (view == nullptr) {
    error(e.operand->span, "cannot take the address of a value of type " + quoted(spelling(type)));
    return nullptr;
  }
  if (view->space == AddressSpace::Handle) {
    error(e.operand->span, "cannot take the address of a texture or sampler");
    return nullptr;
  }
  const ast::Expr* object = e.operand->kind == ast::ExprKind::Index ? static_cast<const ast::Index*>(e.operand)->object
                            : e.operand->kind == ast::ExprKind::Member
                                ? static_cast<const ast::Member*>(e.operand)->object
                                : nullptr;
  if (object != nullptr) {
    const Type* base = at(object).type;
    const MemoryView* base_view = as_reference(base) != nullptr ? as_reference(base) : as_pointer(base);
    if (base_view != nullptr && as_vector(base_view->store)) {
      error(e.operand->span, "cannot take the address of a vector component");
      return nullptr;
    }
  }
  return set(&e, types_.pointer(view->space, view->store, view->access), Stage::Runtime);
}

const Type* Resolver::indirection(const ast::Unary& e) {
  const Type* type = value(e.operand);
  if (type == nullptr) return nullptr;
  if (const MemoryView* pointer = as_pointer(type))
    return set(&e, types_.reference(pointer->space, pointer->store, pointer->access), Stage::Runtime);
  error(e.operand->span, "cannot dereference a value of type " + quoted(spelling(type)));
  return nullptr;
}

const Type* Resolver::binary(const ast::Binary& e) {
  const bool logical = e.op == ast::BinaryOp::LogicalAnd || e.op == ast::BinaryOp::LogicalOr;
  const Type* lhs = value(e.lhs);
  const Value* decided = nullptr;
  if (logical && lhs != nullptr && lhs->is(TypeKind::Bool) && at(e.lhs).value != nullptr)
    decided = at(e.lhs).value->boolean == (e.op == ast::BinaryOp::LogicalOr) ? at(e.lhs).value : nullptr;
  const bool outer = unevaluated_;
  unevaluated_ |= decided != nullptr;
  const Type* rhs = value(e.rhs);
  unevaluated_ = outer;
  if (lhs == nullptr || rhs == nullptr) return nullptr;

  const Argument operands[] = {argument(e.lhs), argument(e.rhs)};
  const Match& match = overloads_.resolve(types_, signature(e.op), operands);
  if (match.overload == nullptr) {
    Diagnostic& diagnostic = no_overload(e.span, spelling(e.op), operands);
    if (!hint_operands(diagnostic, e, lhs, rhs)) list_overloads(diagnostic, e.span, signature(e.op), 2);
    return nullptr;
  }
  const bool left_fits = convert(e.lhs, match.parameters[0]);
  const bool right_fits = convert(e.rhs, match.parameters[1]);
  if (!left_fits || !right_fits) return nullptr;
  const ExprInfo &left = at(e.lhs), &right = at(e.rhs);
  const Stage stage = std::max(left.stage, right.stage);
  if (stage == Stage::Constant) {
    if (decided != nullptr) return set(&e, match.result, stage, decided);
    if (left.value == nullptr || right.value == nullptr) return set(&e, match.result, stage);
    return set(&e, match.result, eval_.binary(e.op, left.value, right.value, match.result));
  }
  if (!unevaluated_ && (left.value != nullptr || right.value != nullptr)) {
    const std::string problem = eval_.check_binary(e.op, left.used_as(), left.value, right.value);
    if (!problem.empty()) {
      error(e.span, problem);
      return nullptr;
    }
  }
  return set(&e, match.result, stage);
}

bool Resolver::check_index(const ast::Index& e, const Type* composite) {
  const Type* type = value(e.index);
  if (type == nullptr) return false;
  if (!type->is_integer_scalar()) {
    error(e.index->span, "an index must be i32 or u32, not " + quoted(spelling(type)));
    return false;
  }
  if (!convert(e.index, concretize(types_, type))) return false;
  const Value* known = at(e.index).value;
  if (known == nullptr || unevaluated_) return true;
  std::optional<uint64_t> count;
  if (const Vector* vector = as_vector(composite)) count = vector->width;
  if (const Matrix* matrix = as_matrix(composite)) count = matrix->columns;
  if (const Array* array = as_array(composite); array != nullptr && array->count_kind == Array::Count::Fixed)
    count = array->count;
  if (known->integer >= 0 && (!count || static_cast<uint64_t>(known->integer) < *count)) return true;
  error(e.index->span, "index " + std::to_string(known->integer) + " is out of bounds of " +
                           quoted(spelling(composite)) +
                           (count ? ": the last is " + std::to_string(*count - 1) : std::string()));
  return false;
}

const Type* Resolver::index(const ast::Index& e) {
  const Type* object = expr(e.object);
  const MemoryView* view = as_reference(object);
  if (view == nullptr) view = as_pointer(object);
  const Type* composite = view != nullptr ? view->store : object;
  const bool indexable = as_vector(composite) || as_matrix(composite) || as_array(composite);
  if (object != nullptr && !indexable) {
    error(e.object->span, "cannot index a value of type " + quoted(spelling(composite)));
    composite = nullptr;
  }
  if (composite == nullptr) {
    value(e.index);
    return nullptr;
  }
  if (!check_index(e, composite)) return nullptr;
  const auto element = [](const Type* type) -> const Type* {
    if (const Vector* vector = as_vector(type)) return vector->element;
    if (const Matrix* matrix = as_matrix(type)) return matrix->column;
    return as_array(type)->element;
  };
  if (view != nullptr) return set(&e, types_.reference(view->space, element(composite), view->access), Stage::Runtime);
  const Stage stage = stage_of({e.object, e.index});
  if (stage != Stage::Constant && !is_concrete(composite)) {
    composite = concretize(types_, composite);
    if (!convert(e.object, composite)) return nullptr;
  }
  const Type* type = element(composite);
  if (stage != Stage::Constant) return set(&e, type, stage);
  const Value *whole = at(e.object).value, *position = at(e.index).value;
  if (whole == nullptr || position == nullptr) return set(&e, type, stage);
  return set(&e, type, eval_.index(whole, position));
}

const Type* Resolver::member(const ast::Member& e) {
  const Type* object = expr(e.object);
  if (object == nullptr) return nullptr;
  const MemoryView* view = as_reference(object) != nullptr ? as_reference(object) : as_pointer(object);
  const Type* composite = view != nullptr ? view->store : object;
  if (const Vector* vector = as_vector(composite)) return swizzle(e, *vector, view);
  const Struct* structure = as_struct(composite);
  if (structure == nullptr) {
    error(e.name_span(), "type " + quoted(spelling(composite)) + " has no member " + quoted(e.name()));
    return nullptr;
  }
  const StructMember* found = structure->find(e.name());
  if (found == nullptr) {
    Diagnostic& diagnostic =
        error(e.name_span(), "structure " + quoted(structure->name) + " has no member " + quoted(e.name()));
    std::vector<std::string_view> names;
    for (const StructMember& candidate : structure->members) names.push_back(candidate.name);
    if (const auto suggestion = nearest(e.name(), names))
      diagnostic.notes.push_back({e.name_span(), "did you mean " + quoted(*suggestion) + "?"});
    return nullptr;
  }
  at(&e).selects(found);
  if (view != nullptr) return set(&e, types_.reference(view->space, found->type, view->access), Stage::Runtime);
  const ExprInfo& info = at(e.object);
  if (info.value == nullptr) return set(&e, found->type, info.stage);
  return set(&e, found->type, Stage::Constant, eval_.component(info.value, found->index));
}

const Type* Resolver::swizzle(const ast::Member& e, const Vector& vector, const MemoryView* view) {
  const std::string_view name = e.name();
  const std::string_view set_of_first =
      std::string_view("xyzw").find(name.empty() ? ' ' : name[0]) != std::string_view::npos ? "xyzw" : "rgba";
  ExprInfo::Swizzle chosen{};
  bool good = !name.empty() && name.size() <= chosen.components.size();
  for (size_t i = 0; good && i < name.size(); i++) {
    const size_t component = set_of_first.find(name[i]);
    good = component < vector.width;
    chosen.components[i] = static_cast<uint8_t>(component);
  }
  if (!good) {
    error(e.name_span(), quoted(name) + " is not a swizzle of " + quoted(spelling(&vector)));
    return nullptr;
  }
  chosen.count = static_cast<uint8_t>(name.size());
  at(&e).selects(chosen);
  if (name.size() == 1 && view != nullptr)
    return set(&e, types_.reference(view->space, vector.element, view->access), Stage::Runtime);
  const Type* type = name.size() == 1 ? vector.element : types_.vec(vector.element, static_cast<uint32_t>(name.size()));
  if (view != nullptr) {
    // The load rule; through a pointer the object stays a pointer, and what it points to is loaded.
    if (as_reference(at(e.object).type) != nullptr) at(e.object).target = view->store;
    return set(&e, type, Stage::Runtime);
  }
  const ExprInfo& info = at(e.object);
  if (info.value == nullptr) return set(&e, type, info.stage);
  if (name.size() == 1) return set(&e, type, Stage::Constant, eval_.component(info.value, chosen.components[0]));
  return set(&e, type, eval_.swizzle(info.value, std::span(chosen.components).first(chosen.count), type));
}

}  // namespace kem::wgsl::sem
