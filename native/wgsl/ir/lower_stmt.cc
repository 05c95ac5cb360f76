// Statements: control flow is kept structured, `for` and `while` become Loop.
#include <algorithm>
#include <utility>

#include "wgsl/ir/lowerer.h"

namespace kem::wgsl::ir {

using sem::Stage;
using sem::TypeKind;

void Lowerer::statements(std::span<const ast::Stmt* const> list) {
  for (const ast::Stmt* s : list) {
    if (ended(*block_) || diagnostics_.full()) return;  // what follows is unreachable
    if (too_large(*module_)) return;
    statement(*s);
  }
}

void Lowerer::statement(const ast::Stmt& s) {
  const Type* none = types_.void_type();
  switch (s.kind) {
    case ast::StmtKind::Compound:
      return statements(static_cast<const ast::Compound&>(s).statements);
    case ast::StmtKind::Declaration:
      return declaration(*static_cast<const ast::Declaration&>(s).variable);
    case ast::StmtKind::Assign:
      return assign(static_cast<const ast::Assign&>(s));
    case ast::StmtKind::Phony:
      return phony(static_cast<const ast::Phony&>(s));
    case ast::StmtKind::Increment:
      return increment(static_cast<const ast::Increment&>(s));
    case ast::StmtKind::If:
      return conditional(static_cast<const ast::If&>(s));
    case ast::StmtKind::Switch:
      return switch_statement(static_cast<const ast::Switch&>(s));
    case ast::StmtKind::Loop:
      return loop(static_cast<const ast::Loop&>(s));
    case ast::StmtKind::For:
      return for_loop(static_cast<const ast::For&>(s));
    case ast::StmtKind::While:
      return while_loop(static_cast<const ast::While&>(s));
    case ast::StmtKind::Break:
      emit(Op::Break, none, {}, s.span);
      return;
    case ast::StmtKind::Continue:
      emit(Op::Continue, none, {}, s.span);
      return;
    case ast::StmtKind::Return: {
      const auto& r = static_cast<const ast::Return&>(s);
      Operands operands;
      if (r.value != nullptr) operands.push_back(value(r.value));
      emit(Op::Return, none, std::move(operands), s.span);
      return;
    }
    case ast::StmtKind::Call:
      call(*static_cast<const ast::CallStmt&>(s).call);
      return;
    case ast::StmtKind::Discard:      // fragment stage only
    case ast::StmtKind::ConstAssert:  // checked at shader creation
      return;
  }
}

void Lowerer::declaration(const ast::Variable& syntax) {
  if (syntax.variable_kind == ast::VariableKind::Const) return;
  const sem::Variable& variable = *info_.declared_by(&syntax);
  if (syntax.variable_kind == ast::VariableKind::Let) {
    Value* v = value(syntax.initializer);
    if (v->name.empty() && v->kind == ValueKind::Instruction) v->name = variable.name;
    set_value(variable, v);
    return;
  }
  Operands initial;
  if (syntax.initializer != nullptr) initial.push_back(value(syntax.initializer));
  const Type* type = types_.pointer(AddressSpace::Function, variable.type, AccessMode::ReadWrite);
  Instruction* var = emit(Op::Var, type, std::move(initial), syntax.span);
  var->name = variable.name;
  set_value(variable, var);
}

void Lowerer::assign(const ast::Assign& s) {
  Value* target = pointer(s.lhs);
  if (!s.compound) return store(target, value(s.rhs), s.span);
  Value* before = load(target, s.lhs->span);
  if (info_[s.rhs].stage == Stage::Override) {
    const std::string problem = eval_.check_binary(s.op, before->type, nullptr, early_value_or_null(s.rhs));
    if (!problem.empty()) diagnostics_.error(s.span, problem);
  }
  Value* operand = value(s.rhs);
  Instruction* after = emit(Op::Binary, before->type, {before, operand}, s.span);
  after->binary = s.op;
  store(target, after, s.span);
}

void Lowerer::phony(const ast::Phony& s) {
  const sem::ExprInfo& info = info_[s.rhs];
  if (info.stage == Stage::Constant || info.type == nullptr) return;
  const Type* type = info.type;
  if (const auto* view = sem::as_reference(type)) type = view->store;
  if (type->is(TypeKind::Texture) || type->is(TypeKind::Sampler)) return;
  if (is_memory(s.rhs) && !sem::is_constructible(type)) {
    pointer(s.rhs);
    return;
  }
  value(s.rhs);
}

void Lowerer::increment(const ast::Increment& s) {
  Value* target = pointer(s.lhs);
  Value* before = load(target, s.span);
  Instruction* after = emit(Op::Binary, before->type, {before, constant(eval_.integer(before->type, 1))}, s.span);
  after->binary = s.decrement ? ast::BinaryOp::Subtract : ast::BinaryOp::Add;
  store(target, after, s.span);
}

Block* Lowerer::block_of(std::span<const ast::Stmt* const> list) {
  Block* outer = std::exchange(block_, module_->block());
  statements(list);
  return std::exchange(block_, outer);
}

// A chain of `else if` is walked with a loop: it may be long.
void Lowerer::conditional(const ast::If& s) {
  Block* outer = block_;
  uint32_t length = 0;
  for (const ast::If* branch = &s; branch != nullptr;) {
    if (++length > kMaxElseIfChain) {
      diagnostics_.error(branch->span, "a chain of more than " + std::to_string(kMaxElseIfChain) +
                                           " 'else if' is not supported; use 'switch' or a table");
      break;
    }
    Value* condition = value(branch->condition);
    Instruction* i = emit(Op::If, types_.void_type(), {condition}, branch->span);
    i->blocks = {block_of(branch->then_block->statements), nullptr};
    const ast::Stmt* other = branch->else_block;
    branch = nullptr;
    if (other == nullptr) break;
    if (other->kind == ast::StmtKind::If) {
      branch = static_cast<const ast::If*>(other);
      block_ = i->blocks[1] = module_->block();
    } else {
      i->blocks[1] = block_of(static_cast<const ast::Compound*>(other)->statements);
    }
  }
  block_ = outer;
}

void Lowerer::switch_statement(const ast::Switch& s) {
  Value* selector = value(s.condition);
  Instruction* i = emit(Op::Switch, types_.void_type(), {selector}, s.span);
  const auto& selectors = info_.switch_selectors.at(&s);
  size_t next = 0;
  for (const ast::CaseClause* clause : s.clauses) {
    SwitchCase c;
    const size_t count = clause->is_default_alone ? 1 : clause->selectors.size();
    for (size_t k = 0; k < count; ++k) {
      const sem::Value* known = selectors[next++];
      if (known == nullptr) {
        c.is_default = true;
      } else {
        c.selectors.push_back(known);
      }
    }
    c.block = block_of(clause->body->statements);
    i->cases.push_back(std::move(c));
  }
}

namespace {

// Whether a `continue` of the loop with this body is in it.
bool continues(const Block* block) {
  if (block == nullptr) return false;
  return std::ranges::any_of(block->instructions, [](const Instruction* i) {
    if (i->op == Op::Continue) return true;
    if (i->op == Op::Loop) return false;
    return std::ranges::any_of(i->blocks, continues) ||
           std::ranges::any_of(i->cases, [](const SwitchCase& c) { return continues(c.block); });
  });
}

}  // namespace

void Lowerer::loop(const ast::Loop& s) {
  Instruction* i = emit(Op::Loop, types_.void_type(), {}, s.span);
  i->blocks = {block_of(s.statements), nullptr};
  if (s.continuing == nullptr) return;
  // It may use what is declared in the body's unreachable part, if it is unreachable itself.
  if (ended(*i->blocks[0]) && !continues(i->blocks[0])) return;
  Block* outer = std::exchange(block_, module_->block());
  i->blocks[1] = block_;
  statements(s.continuing->statements);
  if (s.continuing->break_if != nullptr) {
    Value* condition = value(s.continuing->break_if);
    emit(Op::BreakIf, types_.void_type(), {condition}, s.continuing->span);
  }
  block_ = outer;
}

// `if (!condition) { break; }`
void Lowerer::leave_unless(const ast::Expr* condition) {
  Value* stay = value(condition);
  Instruction* leave = emit(Op::Unary, types_.bool_type(), {stay}, condition->span);
  leave->unary = ast::UnaryOp::Not;
  Instruction* branch = emit(Op::If, types_.void_type(), {leave}, condition->span);
  Block* outer = std::exchange(block_, module_->block());
  branch->blocks = {block_, nullptr};
  emit(Op::Break, types_.void_type(), {}, condition->span);
  block_ = outer;
}

void Lowerer::for_loop(const ast::For& s) {
  if (s.initializer != nullptr) statement(*s.initializer);
  Instruction* i = emit(Op::Loop, types_.void_type(), {}, s.span);
  Block* outer = std::exchange(block_, module_->block());
  i->blocks = {block_, nullptr};
  if (s.condition != nullptr) leave_unless(s.condition);
  statements(s.body->statements);
  if (s.update != nullptr) {
    block_ = i->blocks[1] = module_->block();
    statement(*s.update);
  }
  block_ = outer;
}

void Lowerer::while_loop(const ast::While& s) {
  Instruction* i = emit(Op::Loop, types_.void_type(), {}, s.span);
  Block* outer = std::exchange(block_, module_->block());
  i->blocks = {block_, nullptr};
  leave_unless(s.condition);
  statements(s.body->statements);
  block_ = outer;
}

}  // namespace kem::wgsl::ir
