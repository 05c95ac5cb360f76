// Expressions and calls (spec "Uniformity Rules for Expressions", "Uniformity Rules for Function Calls").
#include <algorithm>

#include "wgsl/sem/uniformity_impl.h"

namespace kem::wgsl::sem::uniformity {
namespace {

// What invocations may change between them: reads of it may differ.
bool is_shared_and_writable(AddressSpace space, AccessMode access) {
  const bool shared =
      space == AddressSpace::Private || space == AddressSpace::Workgroup || space == AddressSpace::Storage;
  return shared && access != AccessMode::Read;
}

// The operand on the left of the expression, which chains of operators, indices and members grow along.
const ast::Expr* left_of(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Binary:
      return static_cast<const ast::Binary*>(e)->lhs;
    case ast::ExprKind::Index:
      return static_cast<const ast::Index*>(e)->object;
    case ast::ExprKind::Member:
      return static_cast<const ast::Member*>(e)->object;
    default:
      return nullptr;
  }
}

// ---- The built-in functions that are not simply as uniform as their arguments ----------------------------

bool in(Builtin b, Builtin first, Builtin last) { return b >= first && b <= last; }
bool is_synchronization(Builtin b) { return in(b, Builtin::StorageBarrier, Builtin::WorkgroupUniformLoad); }
bool is_subgroup_or_quad(Builtin b) { return in(b, Builtin::SubgroupAdd, Builtin::QuadSwapY); }
bool is_atomic(Builtin b) { return in(b, Builtin::AtomicLoad, Builtin::AtomicCompareExchangeWeak); }
bool takes_derivative(Builtin b) {
  return in(b, Builtin::Dpdx, Builtin::FwidthFine) || b == Builtin::TextureSample || b == Builtin::TextureSampleBias ||
         b == Builtin::TextureSampleCompare;
}
bool takes_uniform_delta(Builtin b) {
  return b == Builtin::SubgroupShuffleDown || b == Builtin::SubgroupShuffleUp || b == Builtin::SubgroupShuffleXor;
}

bool reads_writable_texture(Builtin b, const Type* texture_type) {
  if (b != Builtin::TextureLoad || texture_type == nullptr || !texture_type->is(TypeKind::Texture)) return false;
  const auto* texture = static_cast<const Texture*>(texture_type);
  return texture->texture_kind == TextureKind::Storage && texture->access == AccessMode::ReadWrite;
}

const Type* without_reference(const Type* type) {
  const MemoryView* reference = as_reference(type);
  return reference != nullptr ? reference->store : type;
}

// Spec: these functions' results are the same for all of a subgroup, if their arguments are.
bool is_uniform_in_subgroup(Builtin b) {
  switch (b) {
    case Builtin::SubgroupAdd:
    case Builtin::SubgroupAll:
    case Builtin::SubgroupAnd:
    case Builtin::SubgroupAny:
    case Builtin::SubgroupBallot:
    case Builtin::SubgroupBroadcast:
    case Builtin::SubgroupBroadcastFirst:
    case Builtin::SubgroupMax:
    case Builtin::SubgroupMin:
    case Builtin::SubgroupMul:
    case Builtin::SubgroupOr:
    case Builtin::SubgroupXor:
      return true;
    default:
      return false;
  }
}

// Spec: the built-in values that are uniform across a workgroup, or a subgroup; all others are not.
bool is_uniform(std::string_view builtin_value, PipelineStage stage, Scope scope) {
  if (stage != PipelineStage::Compute) return false;
  if (builtin_value == "subgroup_id") return scope == Scope::Subgroup;
  return builtin_value == "workgroup_id" || builtin_value == "num_workgroups" || builtin_value == "subgroup_size" ||
         builtin_value == "num_subgroups";
}

bool is_uniform_input(ast::Attributes attributes, PipelineStage stage, Scope scope) {
  const auto builtin =
      std::ranges::find_if(attributes, [](const auto* a) { return a->kind == ast::AttributeKind::Builtin; });
  return builtin != attributes.end() && !(*builtin)->names.empty() &&
         is_uniform((*builtin)->names[0].name(), stage, scope);
}

// A structure is uniform if all its members are: components are not told apart.
bool is_uniform_input(const Variable* parameter, PipelineStage stage, Scope scope) {
  const Struct* structure = as_struct(parameter->type);
  if (structure == nullptr) return is_uniform_input(parameter->parameter->attributes, stage, scope);
  return std::ranges::all_of(structure->members, [&](const StructMember& member) {
    return member.syntax != nullptr && is_uniform_input(member.syntax->attributes, stage, scope);
  });
}

}  // namespace

Node Builder::joined(std::initializer_list<Node> nodes) {
  const Node result = graph.add();
  for (const Node node : nodes) graph.edge(result, node);
  return result;
}

bool Builder::loads(const ast::Expr* expression) const {
  const ExprInfo& info = context_.info[expression];
  return as_reference(info.type) != nullptr && as_reference(info.used_as()) == nullptr;
}

Node Builder::value(Node cf, const ast::Expr* expression) { return value(cf, expression, loads(expression)); }

// `loaded`: the load rule is invoked on the memory view expression that this is a part of.
Node Builder::value(Node cf, const ast::Expr* expression, bool loaded) {
  std::vector<const ast::Expr*> spine;
  const ast::Expr* at = expression;
  while (context_.info[at].stage != Stage::Constant) {
    const ast::Expr* left = left_of(at);
    if (left == nullptr) break;
    spine.push_back(at);
    const bool of_view = at->kind != ast::ExprKind::Binary && is_view(context_.info[left].type);
    // `pointer.xy` is a value: taking several components of a view loads it.
    if (!of_view || loads(left)) {
      loaded = loads(left);
    } else if (!is_view(context_.info[at].type)) {
      loaded = true;
    }
    at = left;
  }
  Node node = leaf(cf, at, loaded);
  for (; !spine.empty(); spine.pop_back()) node = combine(cf, spine.back(), node);
  return node;
}

Node Builder::leaf(Node cf, const ast::Expr* expression, bool loaded) {
  if (context_.info[expression].stage != Stage::Runtime) return cf;
  switch (expression->kind) {
    case ast::ExprKind::Identifier:
      return identifier(cf, static_cast<const ast::Identifier*>(expression), loaded);
    case ast::ExprKind::Call: {
      const Node result = call(cf, static_cast<const ast::Call*>(expression));
      if (!loaded || as_pointer(context_.info[expression].type) == nullptr) return result;
      return joined({result, contents(roots_.of(expression).variable, expression->span)});
    }
    case ast::ExprKind::Unary: {
      const auto* unary = static_cast<const ast::Unary*>(expression);
      const bool view = unary->op == ast::UnaryOp::Indirection || unary->op == ast::UnaryOp::AddressOf;
      return value(cf, unary->operand, view ? loaded : loads(unary->operand));
    }
    default:
      return cf;
  }
}

Node Builder::combine(Node cf, const ast::Expr* expression, Node left) {
  if (expression->kind == ast::ExprKind::Member) return left;
  if (expression->kind == ast::ExprKind::Index) {
    const size_t mark = log_.size();
    const Node result = joined({left, value(cf, static_cast<const ast::Index*>(expression)->index)});
    // The load comes after the index, which may have called a function that writes the variable.
    const Variable* root = log_.size() == mark ? nullptr : roots_.of(expression).variable;
    if (root != nullptr && is_tracked(root)) graph.edge(result, current(root));
    return result;
  }
  const auto* binary = static_cast<const ast::Binary*>(expression);
  if (binary->op == ast::BinaryOp::LogicalAnd || binary->op == ast::BinaryOp::LogicalOr) {
    return short_circuit(cf, binary, left);
  }
  return joined({left, value(cf, binary->rhs)});
}

// The right operand is evaluated in control flow that depends on the left one, or not at all.
Node Builder::short_circuit(Node, const ast::Binary* expression, Node left) {
  const Node decided = graph.add({.reason = Reason::Condition, .span = expression->lhs->span});
  graph.edge(decided, left);
  const size_t mark = log_.size();
  const Node right = value(decided, expression->rhs);
  if (log_.size() != mark) {
    const Outcome evaluated{{decided, kNext}, changes_since(mark)}, skipped{{decided, kNext}, {}};
    roll_back(mark);
    const Outcome outcomes[] = {evaluated, skipped};
    join(outcomes);
  }
  return right;
}

// ---- Identifiers ----------------------------------------------------------------------------------------

// What a pointer's or reference's memory holds.
Node Builder::contents(const Variable* root, Span span) {
  if (root == nullptr) return Graph::kControlFlowStart;
  if (root->kind == Variable::Kind::Var && root->is_module_scope()) {
    if (!is_shared_and_writable(root->space, root->access)) return Graph::kControlFlowStart;
    const Node node = graph.add({.reason = Reason::ModuleVariable, .span = span, .variable = root});
    graph.edge(node, Graph::kMayBeNonUniform);
    return node;
  }
  const MemoryView* pointer = as_pointer(root->type);
  if (pointer != nullptr && is_shared_and_writable(pointer->space, pointer->access)) {
    const Node node = graph.add({.reason = Reason::PointerParameter, .span = span, .variable = root});
    graph.edge(node, Graph::kMayBeNonUniform);
    return node;
  }
  return current(root);
}

Node Builder::identifier(Node cf, const ast::Identifier* expression, bool loaded) {
  const Variable* variable = context_.info[expression].variable();
  if (variable == nullptr) return cf;
  switch (variable->kind) {
    case Variable::Kind::Const:
    case Variable::Kind::Override:
      return cf;
    case Variable::Kind::Var:
      return loaded ? joined({cf, contents(variable, expression->span)}) : cf;
    case Variable::Kind::Parameter:
      return parameter(cf, expression, variable, loaded);
    case Variable::Kind::Let:
      break;
  }
  if (as_pointer(variable->type) == nullptr || !loaded) return joined({cf, current(variable)});
  return joined({cf, current(variable), contents(roots_.of(expression).variable, expression->span)});
}

Node Builder::parameter(Node cf, const ast::Identifier* expression, const Variable* variable, bool loaded) {
  if (function_.stage != PipelineStage::None) {
    if (is_uniform_input(variable, function_.stage, context_.scope)) return cf;
    const Node node = graph.add({.reason = Reason::EntryInput, .span = expression->span, .variable = variable});
    graph.edge(node, Graph::kMayBeNonUniform);
    return node;
  }
  const Node own = Graph::parameter_value(variable->parameter_index);
  if (!loaded || as_pointer(variable->type) == nullptr) return joined({cf, own});
  return joined({cf, own, contents(variable, expression->span)});
}

// ---- Calls ----------------------------------------------------------------------------------------------

void Builder::require(Requirement requirement, Node node) {
  if (requirement.severity != Severity::Off) required.push_back({requirement, node});
}

Node Builder::call(Node cf, const ast::Call* call) {
  std::vector<Node> arguments;
  arguments.reserve(call->args.size());
  for (const ast::Expr* argument : call->args) arguments.push_back(value(cf, argument));
  const CallTarget* target = context_.info[call].call();
  const Node called = joined({cf});
  if (target != nullptr && target->kind == CallTarget::Kind::Function) {
    return call_function(called, call, *target->function, arguments);
  }
  if (target != nullptr && target->kind == CallTarget::Kind::Builtin) {
    return call_builtin(called, call, target->builtin, arguments);
  }
  for (const Node argument : arguments) graph.edge(called, argument);
  return called;
}

void Builder::require_in_workgroup(Requirement requirement, Node cf, Builtin builtin, std::span<const Node> arguments) {
  if (is_synchronization(builtin)) require(requirement, cf);
  if (builtin == Builtin::WorkgroupUniformLoad && !arguments.empty()) {
    requirement.kind = Requirement::Kind::Value;
    require(requirement, arguments[0]);
  }
  if (takes_derivative(builtin)) {
    requirement.rule = "derivative_uniformity";
    requirement.severity = context_.derivative.at(requirement.call->span);
    require(requirement, cf);
  }
}

void Builder::require_in_subgroup(Requirement requirement, Node cf, Builtin builtin, std::span<const Node> arguments) {
  requirement.rule = "subgroup_uniformity";
  requirement.severity = context_.subgroup.at(requirement.call->span);
  require(requirement, cf);
  if (!takes_uniform_delta(builtin) || arguments.size() < 2) return;
  requirement.kind = Requirement::Kind::Value;
  requirement.argument = 1;
  requirement.severity = context_.subgroup.at(requirement.call->args[1]->span);
  require(requirement, arguments[1]);
}

Node Builder::call_builtin(Node cf, const ast::Call* call, Builtin builtin, std::span<const Node> arguments) {
  Requirement requirement{Severity::Error, Requirement::Kind::ControlFlow, call};
  requirement.builtin = name(builtin);
  const Scope scope = context_.scope;
  if (is_subgroup_or_quad(builtin)) {
    if (scope != Scope::Workgroup) require_in_subgroup(requirement, cf, builtin, arguments);
  } else if (scope != Scope::Subgroup) {
    require_in_workgroup(requirement, cf, builtin, arguments);
  }
  const Type* first = call->args.empty() ? nullptr : without_reference(context_.info[call->args[0]].type);
  const bool divides = is_subgroup_or_quad(builtin) && !(scope == Scope::Subgroup && is_uniform_in_subgroup(builtin));
  const bool non_uniform =
      divides || takes_derivative(builtin) || is_atomic(builtin) || reads_writable_texture(builtin, first);
  if (non_uniform) {
    const Node node = graph.add({.reason = Reason::BuiltinResult, .span = call->span, .name = name(builtin)});
    graph.edge(node, Graph::kMayBeNonUniform);
    return node;
  }
  const Node result = joined({cf});
  for (const Node argument : arguments) graph.edge(result, argument);
  return result;
}

Node Builder::call_function(Node cf, const ast::Call* call, const Function& callee, std::span<const Node> arguments) {
  const Summary& summary = context_.summaries.at(&callee);
  std::vector<Node> argument_contents(arguments.size(), kNoNode);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (as_pointer(context_.info[call->args[i]].type) == nullptr) continue;
    const Root root = roots_.of(call->args[i]);
    argument_contents[i] = joined({arguments[i], contents(root.variable, call->args[i]->span)});
  }
  const auto need = [&](const Requirement* inner, Requirement::Kind kind, size_t argument, Node node) {
    if (inner == nullptr || node == kNoNode) return;
    Requirement outer{inner->severity, kind, call, static_cast<uint32_t>(argument)};
    outer.callee = &callee;
    outer.inner = inner;
    require(outer, node);
  };
  need(summary.control_flow_required, Requirement::Kind::ControlFlow, 0, cf);
  const Node result =
      graph.add({.reason = Reason::CallResult, .span = call->span, .function = &callee, .name = callee.name});
  graph.edge(result, cf);
  for (size_t i = 0; i < arguments.size() && i < summary.parameters.size(); ++i) {
    const Summary::Parameter& parameter = summary.parameters[i];
    need(parameter.value_required, Requirement::Kind::Value, i, arguments[i]);
    need(parameter.contents_required, Requirement::Kind::Contents, i, argument_contents[i]);
    if (parameter.value_returned) graph.edge(result, arguments[i]);
    if (parameter.contents_returned && argument_contents[i] != kNoNode) graph.edge(result, argument_contents[i]);
  }
  if (summary.return_may_be_non_uniform) graph.edge(result, Graph::kMayBeNonUniform);
  write_outputs(call, callee, cf, arguments, argument_contents);
  return result;
}

void Builder::write_outputs(const ast::Call* call, const Function& callee, Node called, std::span<const Node> arguments,
                            std::span<const Node> argument_contents) {
  const Summary& summary = context_.summaries.at(&callee);
  for (size_t i = 0; i < arguments.size() && i < summary.parameters.size(); ++i) {
    if (!is_tracked(callee.parameters[i])) continue;
    const Root root = roots_.of(call->args[i]);
    if (!is_tracked(root.variable)) continue;
    const Summary::Parameter& parameter = summary.parameters[i];
    const Node output = graph.add({.reason = Reason::CallOutput,
                                   .span = call->span,
                                   .function = &callee,
                                   .name = callee.name,
                                   .index = static_cast<uint32_t>(i)});
    graph.edge(output, called);
    if (parameter.output_may_be_non_uniform) graph.edge(output, Graph::kMayBeNonUniform);
    for (const uint32_t source : parameter.output_values) graph.edge(output, arguments[source]);
    for (const uint32_t source : parameter.output_contents) {
      if (argument_contents[source] != kNoNode) graph.edge(output, argument_contents[source]);
    }
    if (!root.full) graph.edge(output, current(root.variable));
    set(root.variable, output);
  }
}

}  // namespace kem::wgsl::sem::uniformity

namespace kem::wgsl::sem {

bool asks_for_uniformity(Builtin builtin) {
  using namespace uniformity;
  return is_synchronization(builtin) || takes_derivative(builtin) || is_subgroup_or_quad(builtin);
}

}  // namespace kem::wgsl::sem
