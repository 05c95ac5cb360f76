// Calls of functions (spec "Function Calls", "Built-in Functions").
#include <algorithm>

#include "wgsl/quoted.h"
#include "wgsl/sem/hints.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

constexpr uint8_t bit(PipelineStage stage) { return static_cast<uint8_t>(1u << static_cast<uint8_t>(stage)); }

}  // namespace

CallTarget* Resolver::target(const ast::Call& e, CallTarget::Kind kind, const Type* result,
                             std::span<const Type* const> parameters) {
  CallTarget* target = types_.arena().make<CallTarget>();
  target->kind = kind;
  target->result = result;
  target->parameters = types_.arena().copy(parameters);
  at(&e).calls(target);
  return target;
}

bool Resolver::arguments(const ast::Call& e, Arguments& out) {
  bool good = true;
  for (const ast::Expr* argument_expr : e.args) {
    good &= value(argument_expr) != nullptr;
    if (good) out.push_back(argument(argument_expr));
  }
  return good;
}

bool Resolver::argument_count(const ast::Call& e, size_t count, std::string_view name) {
  if (e.args.size() == count) return true;
  error(e.span, quoted(name) + " takes " + std::to_string(count) + " argument" + (count == 1 ? "" : "s") + ", has " +
                    std::to_string(e.args.size()));
  return false;
}

Diagnostic& Resolver::no_overload(Span span, std::string_view name, std::span<const Argument> arguments) {
  std::string call;
  const bool is_operator = !name.empty() && !std::isalpha(static_cast<unsigned char>(name[0]));
  if (is_operator && arguments.size() == 2) {
    call = spelling(arguments[0].type) + " " + std::string(name) + " " + spelling(arguments[1].type);
  } else if (is_operator) {
    call = std::string(name) + spelling(arguments[0].type);
  } else {
    call = std::string(name) + "(";
    for (size_t i = 0; i < arguments.size(); i++) call += (i == 0 ? "" : ", ") + spelling(arguments[i].type);
    call += ")";
  }
  return error(span, "no matching overload for '" + call + "'");
}

void Resolver::no_overload(Span span, std::string_view name, std::span<const Overload> overloads,
                           std::span<const Argument> arguments) {
  Diagnostic& diagnostic = no_overload(span, name, arguments);
  list_overloads(diagnostic, span, overloads, arguments.size());
}

void Resolver::list_overloads(Diagnostic& diagnostic, Span span, std::span<const Overload> overloads,
                              size_t arguments) {
  // Those with the right number of parameters first; a few are enough to see what is wanted.
  constexpr size_t kMostShown = 5;
  std::vector<const Overload*> shown;
  for (const Overload& overload : overloads)
    if (overload.parameters.size() == arguments) shown.push_back(&overload);
  for (const Overload& overload : overloads)
    if (overload.parameters.size() != arguments) shown.push_back(&overload);
  for (size_t i = 0; i < std::min(shown.size(), kMostShown); i++)
    diagnostic.notes.push_back({span, "candidate: " + shown[i]->text});
  if (shown.size() > kMostShown)
    diagnostic.notes.push_back({span, "and " + std::to_string(shown.size() - kMostShown) + " more"});
}

const Type* Resolver::call(const ast::Call& e) {
  const ast::Identifier& callee = *e.callee;
  const Entity* found = resolve_name(callee);
  const Entity entity = found != nullptr ? *found : Entity{};
  switch (entity.kind) {
    case Entity::Kind::Function:
      if (!callee.has_template_list) return call_function(e, *entity.function);
      error(callee.span, "function " + quoted(callee.name()) + " does not take template arguments");
      break;
    case Entity::Kind::Builtin:
      return call_builtin(e, entity.builtin);
    case Entity::Kind::Type:
    case Entity::Kind::Generator:
      return construct(e, entity);
    case Entity::Kind::Error:
      break;
    default: {
      Diagnostic& diagnostic =
          error(callee.span, "cannot call " + std::string(describe(entity)) + " " + quoted(callee.name()));
      note_declared(diagnostic, entity, callee.name());
    }
  }
  for (const ast::Expr* argument_expr : e.args) value(argument_expr);  // for their own errors
  return nullptr;
}

const Type* Resolver::call_function(const ast::Call& e, const Function& function) {
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  if (function_ == nullptr) {
    error(e.span, "function " + quoted(function.name) + " cannot be called at module scope");
    return nullptr;
  }
  if (function.stage != PipelineStage::None) {
    Diagnostic& diagnostic = error(e.callee->span, "entry point " + quoted(function.name) + " cannot be called");
    diagnostic.notes.push_back({function.syntax->name.span, quoted(function.name) + " declared here"});
    return nullptr;
  }
  if (!argument_count(e, function.parameters.size(), function.name)) return nullptr;
  SmallVector<const Type*, 4> parameters;
  bool good = true;
  for (size_t i = 0; i < e.args.size(); i++) {
    const Variable& parameter = *function.parameters[i];
    if (parameter.type == nullptr) return nullptr;
    parameters.push_back(parameter.type);
    if (conversion_rank(given[i].type, parameter.type) || is_buffer_conversion(given[i].type, parameter.type)) {
      good &= convert(e.args[i], parameter.type);
      continue;
    }
    Diagnostic& diagnostic =
        error(e.args[i]->span, "argument " + std::to_string(i + 1) + " of " + quoted(function.name) + ": expected " +
                                   quoted(spelling(parameter.type)) + ", found " + quoted(spelling(given[i].type)));
    hint_conversion(diagnostic, e.args[i]->span, given[i].type, parameter.type);
    diagnostic.notes.push_back({parameter.span, "parameter " + quoted(parameter.name) + " declared here"});
    good = false;
  }
  called_by_.resize(facts_.size());
  const uint32_t caller = function_->index + 1;
  if (std::exchange(called_by_[function.index], caller) != caller)
    facts_[function_->index].calls.push_back({&function, e.span});
  for (const Variable* variable : function.module_variables) use(variable);
  if (!good || function.return_type == nullptr) return nullptr;
  target(e, CallTarget::Kind::Function, function.return_type, parameters)->function = &function;
  return set(&e, function.return_type, Stage::Runtime);
}

bool Resolver::builtin_available(const ast::Call& e, Builtin builtin) {
  const uint8_t flags = signature(builtin).flags;
  constexpr uint8_t kSpecial = kSubgroup | kCompute | kFragment;
  const bool is_buffer = builtin >= Builtin::BufferView && builtin <= Builtin::BufferLength;
  if ((flags & kSpecial) == 0 && !is_buffer && (function_ != nullptr || (flags & kConst) != 0)) return true;
  const std::string what = "built-in function " + quoted(name(builtin));
  if ((flags & kSubgroup) != 0) {
    if (!info_->enables_subgroups) {
      error(e.callee->span, what + " needs 'enable subgroups;'");
      return false;
    }
    rule(bit(PipelineStage::Compute) | bit(PipelineStage::Fragment), what, e.span);
  }
  if (is_buffer && !needs(Language::BufferView, what, e.callee->span)) return false;
  if ((flags & kCompute) != 0) rule(bit(PipelineStage::Compute), what, e.span);
  if ((flags & kFragment) != 0) rule(bit(PipelineStage::Fragment), what, e.span);
  if (function_ == nullptr && (flags & kConst) == 0) {
    error(e.span, what + " cannot be called at module scope");
    return false;
  }
  return true;
}

const Type* Resolver::call_builtin(const ast::Call& e, Builtin builtin) {
  if (!builtin_available(e, builtin)) return nullptr;
  info_->asks_for_uniformity |= asks_for_uniformity(builtin);
  const bool is_view = builtin == Builtin::BufferView || builtin == Builtin::BufferArrayView;
  if (e.callee->has_template_list && builtin != Builtin::Bitcast && !is_view) {
    error(e.callee->span, "built-in function " + quoted(name(builtin)) + " does not take template arguments");
    return nullptr;
  }
  if (builtin == Builtin::Bitcast) return bitcast(e);
  if (builtin == Builtin::ArrayLength) return array_length(e);
  if (is_view) return buffer_view(e, builtin);
  if (builtin == Builtin::BufferLength) return buffer_length(e);
  if (builtin == Builtin::WorkgroupUniformLoad) return workgroup_uniform_load(e);
  Arguments given;
  if (!arguments(e, given)) return nullptr;
  const std::vector<Overload>& overloads = signature(builtin).overloads;
  const Match& match = overloads_.resolve(types_, overloads, given);
  if (match.overload == nullptr) {
    no_overload(e.span, name(builtin), overloads, given);
    return nullptr;
  }
  bool good = true;
  for (size_t i = 0; i < e.args.size(); i++) good &= convert(e.args[i], match.parameters[i]);
  if (!good || !check_rules(e, builtin, *match.overload)) return nullptr;
  return finish_builtin(e, builtin, match.parameters, match.result);
}

bool Resolver::check_rules(const ast::Call& e, Builtin builtin, const Overload& overload) {
  for (size_t i = 0; i < e.args.size(); i++) {
    const ParameterRule& wanted = overload.parameters[i].rule;
    const ExprInfo& info = at(e.args[i]);
    const auto what = [&] { return "argument " + std::to_string(i + 1) + " of " + quoted(name(builtin)); };
    if (wanted.must_be_constant && info.stage != Stage::Constant) {
      error(e.args[i]->span, what() + " must be a const-expression");
      return false;
    }
    if (!wanted.has_range || info.value == nullptr) continue;
    const uint32_t width = width_of(info.value->type);
    for (uint32_t c = 0; c < width; c++) {
      const int64_t component = width == 1 ? info.value->integer : eval_.component(info.value, c)->integer;
      if (component >= wanted.min && component <= wanted.max) continue;
      error(e.args[i]->span, what() + " must be from " + std::to_string(wanted.min) + " to " +
                                 std::to_string(wanted.max) + ", is " + std::to_string(component));
      return false;
    }
  }
  return true;
}

const Type* Resolver::finish_builtin(const ast::Call& e, Builtin builtin, std::span<const Type* const> parameters,
                                     const Type* result) {
  target(e, CallTarget::Kind::Builtin, result, parameters)->builtin = builtin;
  const bool is_const = (signature(builtin).flags & kConst) != 0;
  const Stage stage = is_const ? stage_of(e.args) : Stage::Runtime;
  SmallVector<const Value*, 4> values;
  for (const ast::Expr* argument_expr : e.args) values.push_back(at(argument_expr).value);
  if (stage == Stage::Constant) {
    if (!has_value(e.args)) return set(&e, result, stage);
    return set(&e, result, eval_.builtin(builtin, values, result));
  }
  const bool any = std::any_of(values.begin(), values.end(), [](const Value* v) { return v != nullptr; });
  if (any && !unevaluated_) {
    const std::string problem = eval_.check_builtin(builtin, values, parameters);
    if (!problem.empty()) {
      error(e.span, problem);
      return nullptr;
    }
  }
  return set(&e, result, stage);
}

// An abstract-int becomes u32 if that is what it is cast to and its value fits; a vector twice as wide as the target
// can only be one of f16, and so can what is cast to as many f16; else the concrete type that it converts to at best.
const Type* Resolver::bitcast_source(const Value* value, const Type* from, const Type* to) {
  const bool halves = scalar_of(to)->is(TypeKind::F16) && width_of(from) == width_of(to);
  const bool pairs = as_vector(from) && width_of(from) == 2 * width_of(to);
  if (halves || pairs) return types_.with_scalar(from, types_.f16());
  const Type* best = concretize(types_, from);
  if (!scalar_of(to)->is(TypeKind::U32) || !scalar_of(from)->is(TypeKind::AbstractInt)) return best;
  const Type* as_u32 = types_.with_scalar(from, types_.u32());
  return value == nullptr || eval_.convert(value, as_u32) ? as_u32 : best;
}

const Type* Resolver::bitcast(const ast::Call& e) {
  const ast::Identifier& callee = *e.callee;
  Arguments given;
  const bool good = arguments(e, given);
  if (!template_count(callee, 1, 1)) return nullptr;
  const Type* to = type(callee.template_args()[0]);
  if (to == nullptr || !good || !argument_count(e, 1, "bitcast")) return nullptr;
  const Type* from = given[0].type;
  const auto numeric = [](const Type* type) {
    return (type->is_scalar() || as_vector(type)) && scalar_of(type)->is_numeric_scalar();
  };
  const auto bits = [](const Type* type) { return (scalar_of(type)->is(TypeKind::F16) ? 16u : 32u) * width_of(type); };
  if (!numeric(to)) {
    error(callee.template_args()[0]->span, "cannot bitcast to " + quoted(spelling(to)));
    return nullptr;
  }
  if (numeric(from) && !is_concrete(from)) {
    from = bitcast_source(at(e.args[0]).value, from, to);
    if (!convert(e.args[0], from)) return nullptr;
  }
  const bool same_shape =
      width_of(from) == width_of(to) || scalar_of(from)->is(TypeKind::F16) != scalar_of(to)->is(TypeKind::F16);
  if (!numeric(from) || bits(from) != bits(to) || !same_shape) {
    error(e.span, "cannot bitcast " + quoted(spelling(from)) + " to " + quoted(spelling(to)));
    return nullptr;
  }
  return finish_builtin(e, Builtin::Bitcast, std::span(&from, 1), to);
}

const Type* Resolver::array_length(const ast::Call& e) {
  Arguments given;
  if (!arguments(e, given) || !argument_count(e, 1, "arrayLength")) return nullptr;
  const MemoryView* pointer = as_pointer(given[0].type);
  const Array* array = pointer != nullptr ? as_array(pointer->store) : nullptr;
  if (array == nullptr || array->count_kind != Array::Count::Runtime) {
    error(e.args[0]->span,
          "'arrayLength' takes a pointer to a runtime-sized array, not " + quoted(spelling(given[0].type)));
    return nullptr;
  }
  return finish_builtin(e, Builtin::ArrayLength, std::span(&given[0].type, 1), types_.u32());
}

const Type* Resolver::workgroup_uniform_load(const ast::Call& e) {
  Arguments given;
  if (!arguments(e, given) || !argument_count(e, 1, "workgroupUniformLoad")) return nullptr;
  const MemoryView* pointer = as_pointer(given[0].type);
  if (pointer == nullptr || pointer->space != AddressSpace::Workgroup) {
    error(e.args[0]->span, "'workgroupUniformLoad' takes a pointer to address space 'workgroup', not " +
                               quoted(spelling(given[0].type)));
    return nullptr;
  }
  const Atomic* atomic = as_atomic(pointer->store);
  const Type* result = atomic != nullptr ? atomic->element : pointer->store;
  if (!is_constructible(result)) {
    error(e.args[0]->span, "'workgroupUniformLoad' cannot load " + quoted(spelling(result)));
    return nullptr;
  }
  return finish_builtin(e, Builtin::WorkgroupUniformLoad, std::span(&given[0].type, 1), result);
}

}  // namespace kem::wgsl::sem
