// Function declarations (spec "Functions", "Entry Points").
#include <algorithm>
#include <bit>

#include "wgsl/quoted.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

using A = ast::AttributeKind;

}  // namespace

void Resolver::rule(uint8_t allowed_stages, std::string what, Span span) {
  if (function_ != nullptr) facts_[function_->index].rules.push_back({allowed_stages, std::move(what), span});
}

void Resolver::function(const ast::Function& syntax) {
  globals_.declare(syntax.name.symbol, Entity{});
  Function* function = types_.arena().make<Function>();
  function->index = static_cast<uint32_t>(info_->functions.size());
  function->name = syntax.name.name();
  function->syntax = &syntax;
  function->return_type = types_.void_type();
  Uses& uses = function_uses_;
  uses.clear();
  begin_uses(uses);
  function_ = function;
  facts_.emplace_back();

  bool good = attributes(syntax.attributes, kOnFunction, syntax.span, "a function");
  good &= stage(syntax, *function);
  Parameters declared;
  good &= parameters(syntax, *function, declared);
  if (syntax.return_type != nullptr) {
    function->return_type = type(syntax.return_type);
    if (function->return_type == nullptr) {
      good = false;
    } else if (!is_constructible(function->return_type)) {
      error(syntax.return_type->span, "the return type of a function must be constructible, " +
                                          quoted(spelling(function->return_type)) + " is not");
      function->return_type = nullptr;
      good = false;
    }
  }
  good &= declare_parameters(declared);
  good &= attributes(syntax.return_attributes, kOnReturnType, syntax.span, "a return type");
  function->must_use = find(syntax.attributes, A::MustUse) != nullptr;
  if (function->must_use && syntax.return_type == nullptr) {
    error(find(syntax.attributes, A::MustUse)->span, "'@must_use' needs a function that returns a value");
    good = false;
  }
  if (good) entry_point(syntax, *function, declared);
  attributes(syntax.body->attributes, kOnStatement, syntax.body->span, "a function body");
  statements(syntax.body->statements);
  scopes_.pop();

  const FunctionFacts& facts = facts_[function->index];
  if (facts.variable_bytes > options_.limits.function_bytes)
    error(syntax.name.span, "the variables of function " + quoted(function->name) + " take " +
                                std::to_string(facts.variable_bytes) + " bytes, the limit is " +
                                std::to_string(options_.limits.function_bytes));
  SmallVector<const Function*, 16> callees;
  for (const auto& [callee, span] : facts.calls) callees.push_back(callee);
  function->callees = types_.arena().copy(std::span<const Function* const>(callees));
  if (!within_budget(uses.size(), syntax.name.span)) uses.clear();
  std::sort(uses.begin(), uses.end(), [](const Variable* a, const Variable* b) { return a->id < b->id; });
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  function->module_variables = types_.arena().copy(uses);
  info_->functions.push_back(function);
  globals_.declare(syntax.name.symbol, Entity::of(function, syntax.name.span));
  function_ = nullptr;
  uses_ = nullptr;
}

bool Resolver::parameters(const ast::Function& syntax, Function& function, Parameters& out) {
  bool good = true;
  if (syntax.parameters.size() > options_.limits.function_parameters) {
    error(syntax.name.span, "function " + quoted(syntax.name.name()) + " has " +
                                std::to_string(syntax.parameters.size()) + " parameters, the limit is " +
                                std::to_string(options_.limits.function_parameters));
    good = false;
  }
  SmallVector<const Variable*, 8> declared;
  for (const ast::Parameter* parameter : syntax.parameters) {
    good &= attributes(parameter->attributes, kOnParameter, parameter->span, "a parameter");
    Variable* variable = types_.arena().make<Variable>();
    variable->kind = Variable::Kind::Parameter;
    variable->name = parameter->name.name();
    variable->id = next_variable_++;
    variable->parameter = parameter;
    variable->parameter_index = static_cast<uint32_t>(declared.size());
    variable->function = function_;
    variable->span = parameter->name.span;
    variable->type = type(parameter->type);
    if (variable->type != nullptr && !is_constructible(variable->type) && !as_pointer(variable->type) &&
        !variable->type->is(TypeKind::Texture) && !variable->type->is(TypeKind::Sampler)) {
      error(parameter->type->span, "a parameter cannot be of type " + quoted(spelling(variable->type)));
      variable->type = nullptr;
    }
    good &= variable->type != nullptr;
    declared.push_back(variable);
    out.push_back(variable);
  }
  function.parameters = types_.arena().copy(std::span<const Variable* const>(declared));
  return good;
}

// Their scope is the body alone: the types of the parameters and of the result do not see them.
bool Resolver::declare_parameters(std::span<Variable* const> parameters) {
  bool good = true;
  scopes_.push();
  for (const Variable* parameter : parameters) {
    if (scopes_.declare(parameter->parameter->name.symbol, Entity::of(parameter))) continue;
    Diagnostic& diagnostic = error(parameter->span, "redeclaration of " + quoted(parameter->name));
    note_declared(diagnostic, *scopes_.find(parameter->parameter->name.symbol), parameter->name);
    good = false;
  }
  return good;
}

bool Resolver::stage(const ast::Function& syntax, Function& function) {
  constexpr std::pair<A, PipelineStage> kStages[] = {
      {A::Compute, PipelineStage::Compute}, {A::Vertex, PipelineStage::Vertex}, {A::Fragment, PipelineStage::Fragment}};
  for (const auto& [attribute, stage] : kStages) {
    const ast::Attribute* found = find(syntax.attributes, attribute);
    if (found == nullptr) continue;
    if (function.stage != PipelineStage::None) {
      error(found->span, "function " + quoted(syntax.name.name()) + " has two shader stages");
      return false;
    }
    function.stage = stage;
  }
  return workgroup_size(syntax, function) && subgroup_size(syntax, function);
}

bool Resolver::subgroup_size(const ast::Function& syntax, Function& function) {
  const ast::Attribute* size = find(syntax.attributes, A::SubgroupSize);
  if (size == nullptr) return true;
  if (!info_->enables_subgroup_size_control) {
    error(size->span, "'@subgroup_size' needs 'enable subgroup_size_control;'");
    return false;
  }
  if (function.stage != PipelineStage::Compute) {
    error(size->span, "'@subgroup_size' is only for compute entry points");
    return false;
  }
  if (size->args.empty()) return false;
  const ast::Expr* e = size->args[0];
  const Type* type = value_at(e, Stage::Override, "a subgroup size");
  if (type == nullptr) return false;
  if (!type->is_integer_scalar()) {
    error(e->span, "a subgroup size must be i32 or u32, not " + quoted(spelling(type)));
    return false;
  }
  if (!convert(e, concretize(types_, type))) return false;
  const Value* value = at(e).value;
  if (value != nullptr && (value->integer <= 0 || !std::has_single_bit(static_cast<uint64_t>(value->integer)))) {
    error(e->span, "a subgroup size must be a power of two, is " + std::to_string(value->integer));
    return false;
  }
  function.subgroup_size = e;
  return true;
}

bool Resolver::workgroup_size(const ast::Function& syntax, Function& function) {
  const ast::Attribute* size = find(syntax.attributes, A::WorkgroupSize);
  if (function.stage != PipelineStage::Compute) {
    if (size == nullptr) return true;
    error(size->span, "'@workgroup_size' is only for compute entry points");
    return false;
  }
  if (size == nullptr) {
    error(syntax.name.span, "compute entry point " + quoted(syntax.name.name()) + " needs '@workgroup_size'");
    return false;
  }
  std::vector<const Type*> types;
  for (const ast::Expr* e : size->args) {
    const Type* type = value_at(e, Stage::Override, "a workgroup size");
    if (type == nullptr) return false;
    if (!type->is_integer_scalar()) {
      error(e->span, "a workgroup size must be i32 or u32, not " + quoted(spelling(type)));
      return false;
    }
    types.push_back(type);
  }
  const Type* common = common_scalar(types_, types, false);
  if (common == nullptr) {
    error(size->span, "workgroup sizes must be all i32 or all u32");
    return false;
  }
  for (size_t i = 0; i < size->args.size() && i < function.workgroup_size.size(); i++) {
    const ast::Expr* e = size->args[i];
    if (!convert(e, common)) return false;
    if (at(e).value != nullptr && at(e).value->integer <= 0) {
      error(e->span, "a workgroup size must be at least 1, is " + std::to_string(at(e).value->integer));
      return false;
    }
    function.workgroup_size[i] = e;
  }
  return true;
}

}  // namespace kem::wgsl::sem
