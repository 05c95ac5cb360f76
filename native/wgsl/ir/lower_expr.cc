// Expressions: values, memory views, calls, and the checks that wait for override values.
#include <algorithm>

#include "wgsl/ir/lowerer.h"
#include "wgsl/sem/buffer_view.h"
#include "wgsl/sem/extensions.h"
#include "wgsl/sem/override_eval.h"

namespace kem::wgsl::ir {

using sem::Builtin;
using sem::CallTarget;
using sem::Stage;
using sem::TypeKind;

namespace {

// Built-in functions that change memory, order it, or depend on other invocations.
bool is_pure(Builtin builtin) {
  return builtin < Builtin::AtomicLoad || (builtin >= Builtin::Pack4x8snorm && builtin <= Builtin::Unpack2x16float);
}

}  // namespace

bool Lowerer::is_memory(const ast::Expr* e) const {
  const Type* type = info_[e].type;
  return type != nullptr && (type->is(TypeKind::Reference) || type->is(TypeKind::Pointer));
}

const sem::Value* Lowerer::early_value_or_null(const ast::Expr* e) {
  const sem::ExprInfo& info = info_[e];
  if (info.value != nullptr) return info.value;
  if (info.stage == Stage::Runtime) return nullptr;
  const sem::Evaluated result = sem::evaluate(e, info_, eval_, overrides_);
  return result ? *result : nullptr;
}

const sem::Value* Lowerer::early_value(const ast::Expr* e) {
  const sem::ExprInfo& info = info_[e];
  if (info.value != nullptr) return info.value;
  const sem::Evaluated result = sem::evaluate(e, info_, eval_, overrides_);
  if (result) return *result;
  diagnostics_.error(e->span, result.error());
  return nullptr;
}

Value* Lowerer::value(const ast::Expr* e) {
  const sem::ExprInfo& info = info_[e];
  if (info.stage != Stage::Runtime && info.type != nullptr && !info.type->is(TypeKind::Void)) {
    const sem::Value* known = early_value(e);
    return constant(known != nullptr ? known : eval_.zero(info.used_as()));
  }
  if (info.type != nullptr && info.type->is(TypeKind::Reference)) return load(pointer(e), e->span);
  return runtime_value(e);
}

Value* Lowerer::runtime_value(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Identifier:
      return identifier(static_cast<const ast::Identifier&>(*e));
    case ast::ExprKind::Call:
      return call(static_cast<const ast::Call&>(*e));
    case ast::ExprKind::Index:
      return index_value(static_cast<const ast::Index&>(*e));
    case ast::ExprKind::Member:
      return member_value(static_cast<const ast::Member&>(*e));
    case ast::ExprKind::Unary:
      return unary(static_cast<const ast::Unary&>(*e));
    case ast::ExprKind::Binary:
      return binary(static_cast<const ast::Binary&>(*e));
    case ast::ExprKind::Literal:
      break;  // always has a value
  }
  return constant(early_value(e));
}

Value* Lowerer::pointer(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Identifier:
      return identifier(static_cast<const ast::Identifier&>(*e));
    case ast::ExprKind::Index:
      return index_value(static_cast<const ast::Index&>(*e));
    case ast::ExprKind::Member:
      return member_value(static_cast<const ast::Member&>(*e));
    case ast::ExprKind::Unary: {
      const auto& u = static_cast<const ast::Unary&>(*e);
      return pointer(u.operand);  // &reference or *pointer: the same memory
    }
    default:
      return runtime_value(e);
  }
}

Value* Lowerer::composite(const ast::Expr* e) { return is_memory(e) ? load(pointer(e), e->span) : value(e); }

Value* Lowerer::identifier(const ast::Identifier& e) { return values_[info_[&e].variable()->id]; }

Value* Lowerer::index_value(const ast::Index& e) {
  check_index(e);
  const Type* type = info_[&e].type;
  const bool memory = type->is(TypeKind::Reference);
  Value* base = memory ? pointer(e.object) : composite(e.object);
  Value* index = value(e.index);
  const Type* component = memory ? sem::as_reference(type)->store : type;
  return access(base, index, component, e.span);
}

Value* Lowerer::member_value(const ast::Member& e) {
  const sem::ExprInfo& info = info_[&e];
  const bool memory = info.type->is(TypeKind::Reference);
  const Type* component = memory ? sem::as_reference(info.type)->store : info.type;
  Value* base = memory ? pointer(e.object) : composite(e.object);
  if (const sem::StructMember* member = info.member()) return access(base, u32(member->index), component, e.span);
  const auto& [count, components] = *info.swizzle();
  if (count == 1) return access(base, u32(components[0]), component, e.span);
  Instruction* i = emit(Op::Swizzle, info.type, {base}, e.span);
  for (size_t k = 0; k < count; ++k) i->swizzle[k] = components[k];
  return i;
}

Value* Lowerer::unary(const ast::Unary& e) {
  if (e.op == ast::UnaryOp::AddressOf || e.op == ast::UnaryOp::Indirection) return pointer(e.operand);
  Value* operand = value(e.operand);
  Instruction* i = emit(Op::Unary, info_[&e].type, {operand}, e.span);
  i->unary = e.op;
  return i;
}

Value* Lowerer::binary(const ast::Binary& e) {
  const bool logical = e.op == ast::BinaryOp::LogicalAnd || e.op == ast::BinaryOp::LogicalOr;
  if (logical) {
    // A left operand that is known early decides, or leaves the right one alone; what it skips was never evaluated.
    if (const sem::Value* known = early_value_or_null(e.lhs)) {
      return known->boolean == (e.op == ast::BinaryOp::LogicalOr) ? constant(known) : value(e.rhs);
    }
    if (has_side_effect(e.rhs)) return short_circuit(e);
  }
  check_operands(e);
  Value* lhs = value(e.lhs);
  Value* rhs = value(e.rhs);
  Instruction* i = emit(Op::Binary, info_[&e].type, {lhs, rhs}, e.span);
  i->binary = e.op;
  return i;
}

// Spec "Logical Expressions": the right operand is evaluated only if the left one leaves the result open.
Value* Lowerer::short_circuit(const ast::Binary& e) {
  const Type* boolean = types_.bool_type();
  Value* lhs = value(e.lhs);
  Instruction* result =
      emit(Op::Var, types_.pointer(AddressSpace::Function, boolean, AccessMode::ReadWrite), {lhs}, e.span);
  Value* open = lhs;
  if (e.op == ast::BinaryOp::LogicalOr) {
    Instruction* inverted = emit(Op::Unary, boolean, {lhs}, e.span);
    inverted->unary = ast::UnaryOp::Not;
    open = inverted;
  }
  Instruction* branch = emit(Op::If, types_.void_type(), {open}, e.span);
  Block* outer = block_;
  block_ = module_->block();
  branch->blocks = {block_, nullptr};
  Value* rhs = value(e.rhs);
  store(result, rhs, e.span);
  block_ = outer;
  return load(result, e.span);
}

Value* Lowerer::call(const ast::Call& e) {
  const CallTarget& target = *info_[&e].call();
  if (target.kind == CallTarget::Kind::ZeroValue) return constant(eval_.zero(target.result));
  if (target.kind == CallTarget::Kind::Builtin) return builtin_call(e, target);
  Operands arguments;
  for (const ast::Expr* argument : e.args) arguments.push_back(value(argument));
  switch (target.kind) {
    case CallTarget::Kind::Function: {
      for (size_t k = 0; k < arguments.size(); ++k) {  // a pointer to a buffer as one to a smaller buffer
        const Type* parameter = concrete(target.parameters[k]);
        if (sem::as_pointer(parameter) != nullptr && arguments[k]->type != parameter)
          arguments[k] = emit(Op::Convert, parameter, {arguments[k]}, e.args[k]->span);
      }
      Instruction* i = emit(Op::Call, target.function->return_type, std::move(arguments), e.span);
      i->callee = functions_.at(target.function);
      return i;
    }
    case CallTarget::Kind::Convert:
      if (arguments[0]->type == target.result) return arguments[0];
      return emit(Op::Convert, target.result, std::move(arguments), e.span);
    default:
      return emit(Op::Construct, target.result, std::move(arguments), e.span);
  }
}

Value* Lowerer::builtin_call(const ast::Call& e, const CallTarget& target) {
  check_arguments(e, target);
  if (target.builtin == Builtin::BufferView || target.builtin == Builtin::BufferArrayView) check_view(e, target);
  Operands arguments;
  for (const ast::Expr* argument : e.args) arguments.push_back(value(argument));
  if (target.builtin == Builtin::ArrayLength) return emit(Op::ArrayLength, types_.u32(), std::move(arguments), e.span);
  if (target.builtin == Builtin::Bitcast && arguments[0]->type == target.result) return arguments[0];
  Instruction* i = emit(Op::Builtin, concrete(target.result), std::move(arguments), e.span);
  i->builtin = target.builtin;
  module_->orders_storage |= target.builtin == Builtin::StorageBarrier;
  module_->uses_subgroups |= target.builtin >= Builtin::SubgroupAdd && target.builtin <= Builtin::QuadSwapY;
  return i;
}

bool Lowerer::has_side_effect(const ast::Expr* e) const {
  if (e == nullptr || info_[e].stage != Stage::Runtime) return false;
  switch (e->kind) {
    case ast::ExprKind::Call: {
      const auto& c = static_cast<const ast::Call&>(*e);
      const CallTarget& target = *info_[e].call();
      if (target.kind == CallTarget::Kind::Function) return true;
      if (target.kind == CallTarget::Kind::Builtin && !is_pure(target.builtin)) return true;
      for (const ast::Expr* argument : c.args) {
        if (has_side_effect(argument)) return true;
      }
      return false;
    }
    case ast::ExprKind::Index: {
      const auto& i = static_cast<const ast::Index&>(*e);
      return has_side_effect(i.object) || has_side_effect(i.index);
    }
    case ast::ExprKind::Member:
      return has_side_effect(static_cast<const ast::Member&>(*e).object);
    case ast::ExprKind::Unary:
      return has_side_effect(static_cast<const ast::Unary&>(*e).operand);
    case ast::ExprKind::Binary: {
      const auto& b = static_cast<const ast::Binary&>(*e);
      return has_side_effect(b.lhs) || has_side_effect(b.rhs);
    }
    default:
      return false;
  }
}

// The checks that a constant operand alone decides were made at shader creation; those that an override's value
// decides are due now (spec "override Expressions").
void Lowerer::check_operands(const ast::Binary& e) {
  if (info_[e.lhs].stage != Stage::Override && info_[e.rhs].stage != Stage::Override) return;
  const std::string problem =
      eval_.check_binary(e.op, info_[e.lhs].used_as(), early_value_or_null(e.lhs), early_value_or_null(e.rhs));
  if (!problem.empty()) diagnostics_.error(e.span, problem);
}

void Lowerer::check_arguments(const ast::Call& e, const CallTarget& target) {
  const bool depends =
      std::ranges::any_of(e.args, [&](const ast::Expr* a) { return info_[a].stage == Stage::Override; });
  if (!depends) return;
  std::vector<const sem::Value*> values;
  for (const ast::Expr* argument : e.args) values.push_back(early_value_or_null(argument));
  const std::string problem = eval_.check_builtin(target.builtin, values, target.parameters);
  if (!problem.empty()) diagnostics_.error(e.span, problem);
}

// What only an override's value, or a buffer's size that depends on one, decides of a view.
void Lowerer::check_view(const ast::Call& e, const CallTarget& target) {
  const auto* buffer = sem::as_pointer(concrete(target.parameters[0]));
  const auto* view = sem::as_pointer(target.result);
  sem::ViewArguments known;
  known.is_array_view = target.builtin == Builtin::BufferArrayView;
  const auto* sized = sem::as_buffer(buffer->store);
  if (sized->size_kind == sem::Array::Count::Fixed) known.buffer_bytes = sized->bytes;
  const auto early = [&](size_t i) -> std::optional<int64_t> {
    const sem::Value* known_value = early_value_or_null(e.args[i]);
    if (known_value == nullptr) return std::nullopt;
    return known_value->integer;
  };
  known.offset = early(1);
  if (known.is_array_view) known.size = early(2);
  const bool standard_layout = sem::is_available(sem::Language::UniformBufferStandardLayout, options_);
  const std::string problem =
      sem::view_problem(view->store, sem::required_align_of(view->store, view->space, standard_layout), known);
  if (!problem.empty()) diagnostics_.error(e.span, "'" + std::string(name(target.builtin)) + "': " + problem);
}

void Lowerer::check_index(const ast::Index& e) {
  const Type* type = info_[e.object].type;
  if (const auto* view = sem::as_reference(type)) type = view->store;
  if (const auto* view = sem::as_pointer(type)) type = view->store;
  const auto* array = sem::as_array(concrete(type));
  const bool sized_late = array != nullptr && concrete(type) != type;
  if (info_[e.index].stage != Stage::Override && !sized_late) return;
  const sem::Value* index = early_value_or_null(e.index);
  if (index == nullptr) return;
  uint64_t count = sem::width_of(type);
  if (array != nullptr) count = array->count;
  if (array != nullptr && array->count_kind == sem::Array::Count::Runtime) count = UINT64_MAX;  // not known yet
  if (const auto* matrix = sem::as_matrix(type)) count = matrix->columns;
  if (index->integer < 0 || static_cast<uint64_t>(index->integer) >= count) {
    diagnostics_.error(e.index->span, "index " + std::to_string(index->integer) + " is out of range for '" +
                                          sem::spelling(concrete(type)) + "'");
  }
}

}  // namespace kem::wgsl::ir
