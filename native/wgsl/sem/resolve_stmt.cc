// Statements (spec "Statements"). What they do to control flow as a whole is behavior.cc's.
#include <algorithm>

#include "wgsl/quoted.h"
#include "wgsl/sem/hints.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

// From a body's attributes to its end: the affected range of a diagnostic filter among them. Not the statement's own.
Span body_range(ast::Attributes list, const ast::Stmt& statement) {
  return list.empty() ? statement.span : Span{list.front()->span.begin, statement.span.end};
}

constexpr uint8_t kFragmentStage = 1u << static_cast<uint8_t>(PipelineStage::Fragment);

}  // namespace

void Resolver::statements(std::span<const ast::Stmt* const> list) {
  for (const ast::Stmt* statement : list) {
    if (diagnostics_.full()) return;
    stmt(*statement);
  }
}

void Resolver::block(const ast::Compound& block) {
  attributes(block.attributes, kOnStatement, block.span, "a statement");
  scopes_.push();
  statements(block.statements);
  scopes_.pop();
}

void Resolver::stmt(const ast::Stmt& statement) {
  switch (statement.kind) {
    case ast::StmtKind::Compound:
      return block(static_cast<const ast::Compound&>(statement));
    case ast::StmtKind::Declaration:
      return local(*static_cast<const ast::Declaration&>(statement).variable);
    case ast::StmtKind::Assign:
      return assign(static_cast<const ast::Assign&>(statement));
    case ast::StmtKind::Phony:
      return phony(static_cast<const ast::Phony&>(statement));
    case ast::StmtKind::Increment:
      return increment(static_cast<const ast::Increment&>(statement));
    case ast::StmtKind::If:
      return conditional(static_cast<const ast::If&>(statement));
    case ast::StmtKind::Switch:
      return switch_statement(static_cast<const ast::Switch&>(statement));
    case ast::StmtKind::Loop:
      return loop(static_cast<const ast::Loop&>(statement));
    case ast::StmtKind::For:
      return for_loop(static_cast<const ast::For&>(statement));
    case ast::StmtKind::While:
      return while_loop(static_cast<const ast::While&>(statement));
    case ast::StmtKind::Break:
      return jump_break(statement);
    case ast::StmtKind::Continue:
      return jump_continue(statement);
    case ast::StmtKind::Return:
      return return_statement(static_cast<const ast::Return&>(statement));
    case ast::StmtKind::Discard:
      return rule(kFragmentStage, "'discard'", statement.span);
    case ast::StmtKind::Call:
      return call_statement(static_cast<const ast::CallStmt&>(statement));
    case ast::StmtKind::ConstAssert:
      return const_assert(*static_cast<const ast::ConstAssertStmt&>(statement).assertion);
  }
}

void Resolver::local(const ast::Variable& syntax) {
  Entity entity;
  if (syntax.variable_kind == ast::VariableKind::Override) {
    error(syntax.name.span, "'override' may only be declared at module scope");
  } else if (const Variable* resolved = variable(syntax)) {
    entity = Entity::of(resolved);
  }
  entity.declared = syntax.name.span;
  if (scopes_.declare(syntax.name.symbol, entity)) return;
  Diagnostic& diagnostic = error(syntax.name.span, "redeclaration of " + quoted(syntax.name.name()));
  note_declared(diagnostic, *scopes_.find(syntax.name.symbol), syntax.name.name());
}

const MemoryView* Resolver::writable(const ast::Expr* e, std::string_view what) {
  const Type* type = expr(e);
  if (type == nullptr) return nullptr;
  const MemoryView* view = as_reference(type);
  if (view == nullptr) {
    Diagnostic& diagnostic =
        error(e->span, "cannot " + std::string(what) + " a value of type " + quoted(spelling(type)));
    hint_write(diagnostic, *e, *info_);
    return nullptr;
  }
  if (view->access == AccessMode::Read) {
    Diagnostic& diagnostic = error(e->span, "cannot " + std::string(what) + " memory in address space " +
                                                quoted(name(view->space)) + " with access mode 'read'");
    hint_write(diagnostic, *e, *info_);
    return nullptr;
  }
  if (!is_constructible(view->store)) {
    error(e->span, "cannot " + std::string(what) + " memory of type " + quoted(spelling(view->store)));
    return nullptr;
  }
  return view;
}

void Resolver::assign(const ast::Assign& statement) {
  const MemoryView* view = writable(statement.lhs, "assign to");
  if (view != nullptr && statement.compound) return compound_assign(statement, *view);
  if (view == nullptr) {
    value(statement.rhs);
    return;
  }
  value_as(statement.rhs, view->store, "cannot assign");
}

void Resolver::compound_assign(const ast::Assign& statement, const MemoryView& view) {
  if (value(statement.rhs) == nullptr) return;
  const Argument operands[] = {{view.store, false}, argument(statement.rhs)};
  const Match& match = overloads_.resolve(types_, signature(statement.op), operands);
  if (match.overload == nullptr) {
    no_overload(statement.span, spelling(statement.op), signature(statement.op), operands);
    return;
  }
  if (match.result != view.store) {
    error(statement.span,
          "cannot assign: expected " + quoted(spelling(view.store)) + ", found " + quoted(spelling(match.result)));
    return;
  }
  if (!convert(statement.rhs, match.parameters[1])) return;
  const std::string problem = eval_.check_binary(statement.op, view.store, nullptr, at(statement.rhs).value);
  if (at(statement.rhs).value != nullptr && !problem.empty()) error(statement.span, problem);
}

void Resolver::phony(const ast::Phony& statement) {
  const Type* type = value(statement.rhs);
  if (type == nullptr) return;
  const bool handle = type->is(TypeKind::Texture) || type->is(TypeKind::Sampler);
  if (!is_constructible(type) && !as_pointer(type) && !handle) {
    error(statement.rhs->span, "cannot assign a value of type " + quoted(spelling(type)) + " to '_'");
    return;
  }
  // Nothing needs the concrete value: one that has none, such as 5000000000, may stay abstract.
  const Type* concrete = concretize(types_, type);
  ExprInfo& info = at(statement.rhs);
  if (concrete == type || info.value == nullptr) return;
  if (const Evaluated converted = eval_.convert(info.value, concrete)) {
    info.value = *converted;
    info.target = concrete;
  }
}

void Resolver::increment(const ast::Increment& statement) {
  const MemoryView* view = writable(statement.lhs, statement.decrement ? "decrement" : "increment");
  if (view == nullptr || view->store == types_.i32() || view->store == types_.u32()) return;
  error(statement.lhs->span, "cannot " + std::string(statement.decrement ? "decrement" : "increment") +
                                 " a variable of type " + quoted(spelling(view->store)) + ", only i32 and u32");
}

void Resolver::conditional(const ast::If& statement) {
  const ast::If* link = &statement;
  while (link != nullptr && !diagnostics_.full()) {
    attributes(link->attributes, kOnStatement, link->span, "a statement");
    condition(link->condition, "the condition of 'if'");
    block(*link->then_block);
    const ast::Stmt* next = link->else_block;
    if (next != nullptr && next->kind == ast::StmtKind::Compound) block(*static_cast<const ast::Compound*>(next));
    link = next != nullptr && next->kind == ast::StmtKind::If ? static_cast<const ast::If*>(next) : nullptr;
  }
}

void Resolver::switch_statement(const ast::Switch& statement) {
  attributes(statement.attributes, kOnStatement, statement.span, "a statement");
  const Span body = body_range(statement.body_attributes, statement);
  attributes(statement.body_attributes, kOnStatement, body, "a switch body");
  std::vector<const ast::Expr*> all{statement.condition};
  std::vector<const Type*> types{value(statement.condition)};
  size_t defaults = 0, selectors = 0;
  Span second_default{};
  const auto count_default = [&](Span span) {
    if (++defaults == 2) second_default = span;
  };
  for (const ast::CaseClause* clause : statement.clauses) {
    if (clause->is_default_alone) {
      count_default(clause->span);
      selectors++;
    }
    for (const ast::Expr* selector : clause->selectors) {
      selectors++;
      if (selector == nullptr) {
        count_default(clause->span);
        continue;
      }
      all.push_back(selector);
      types.push_back(value_at(selector, Stage::Constant, "a case selector"));
    }
  }
  if (defaults != 1)
    error(defaults == 0 ? statement.span : second_default,
          defaults == 0 ? "'switch' needs a default clause" : "'switch' has more than one default clause");
  if (selectors > options_.limits.switch_selectors)
    error(statement.span, "'switch' has " + std::to_string(selectors) + " selectors, the limit is " +
                              std::to_string(options_.limits.switch_selectors));

  bool good = true;
  for (size_t i = 0; i < all.size(); i++) {
    if (types[i] != nullptr && !types[i]->is_integer_scalar()) {
      error(all[i]->span, std::string(i == 0 ? "the selector of 'switch'" : "a case selector") +
                              " must be i32 or u32, not " + quoted(spelling(types[i])));
      good = false;
    }
    good &= types[i] != nullptr;
  }
  const Type* common = good ? common_scalar(types_, types, false) : nullptr;
  if (good && common == nullptr)
    error(statement.condition->span, "the selectors of 'switch' must be all i32 or all u32");
  std::map<int64_t, Span> seen;
  for (const ast::Expr* e : all) {
    if (common == nullptr || !convert(e, common)) continue;
    const Value* known = at(e).value;
    if (e == statement.condition || known == nullptr) continue;
    const auto [it, is_new] = seen.try_emplace(known->integer, e->span);
    if (is_new) continue;
    Diagnostic& diagnostic = error(e->span, "case selector " + std::to_string(known->integer) + " is given twice");
    diagnostic.notes.push_back({it->second, "first given here"});
  }
  std::vector<const Value*>& values = info_->switch_selectors[&statement];
  for (const ast::CaseClause* clause : statement.clauses) {
    if (clause->is_default_alone) values.push_back(nullptr);
    for (const ast::Expr* selector : clause->selectors)
      values.push_back(selector != nullptr ? at(selector).value : nullptr);
  }
  jumps_.push_back({Jump::Kind::Switch, {}, {}, 0});
  for (const ast::CaseClause* clause : statement.clauses) block(*clause->body);
  jumps_.pop_back();
}

void Resolver::loop(const ast::Loop& statement) {
  attributes(statement.attributes, kOnStatement, statement.span, "a statement");
  const Span body = body_range(statement.body_attributes, statement);
  attributes(statement.body_attributes, kOnStatement, body, "a loop body");
  scopes_.push();
  jumps_.push_back({Jump::Kind::Loop, {}, {}, 0});
  statements(statement.statements);
  if (const ast::Continuing* continuing = statement.continuing) {
    attributes(continuing->attributes, kOnStatement, continuing->span, "a continuing block");
    jumps_.push_back({Jump::Kind::Continuing, {}, {}, next_variable_});
    scopes_.push();
    statements(continuing->statements);
    if (continuing->break_if != nullptr) condition(continuing->break_if, "the condition of 'break if'");
    scopes_.pop();
    jumps_.pop_back();
  }
  jumps_.pop_back();
  scopes_.pop();
}

// The body is a scope of its own, as in other implementations: it may hide the initializer's declaration.
void Resolver::for_loop(const ast::For& statement) {
  attributes(statement.attributes, kOnStatement, statement.span, "a statement");
  scopes_.push();
  if (statement.initializer != nullptr) stmt(*statement.initializer);
  if (statement.condition != nullptr) condition(statement.condition, "the condition of 'for'");
  if (statement.update != nullptr) stmt(*statement.update);
  jumps_.push_back({Jump::Kind::Loop, {}, {}, 0});
  block(*statement.body);
  jumps_.pop_back();
  scopes_.pop();
}

void Resolver::while_loop(const ast::While& statement) {
  attributes(statement.attributes, kOnStatement, statement.span, "a statement");
  condition(statement.condition, "the condition of 'while'");
  jumps_.push_back({Jump::Kind::Loop, {}, {}, 0});
  block(*statement.body);
  jumps_.pop_back();
}

void Resolver::jump_break(const ast::Stmt& statement) {
  if (jumps_.empty()) {
    error(statement.span, "'break' is only for loops and switches");
  } else if (jumps_.back().kind == Jump::Kind::Continuing) {
    error(statement.span, "'break' cannot leave a continuing block: use 'break if'");
  }
}

void Resolver::jump_continue(const ast::Stmt& statement) {
  for (auto jump = jumps_.rbegin(); jump != jumps_.rend(); ++jump) {
    if (jump->kind == Jump::Kind::Switch) continue;
    if (jump->kind == Jump::Kind::Continuing) break;
    if (!jump->first_continue) {
      jump->first_continue = next_variable_;
      jump->continue_span = statement.span;
    }
    return;
  }
  const bool within =
      std::any_of(jumps_.begin(), jumps_.end(), [](const Jump& jump) { return jump.kind == Jump::Kind::Continuing; });
  error(statement.span, within ? "'continue' cannot leave a continuing block" : "'continue' is only for loops");
}

void Resolver::return_statement(const ast::Return& statement) {
  for (const Jump& jump : jumps_) {
    if (jump.kind != Jump::Kind::Continuing) continue;
    error(statement.span, "'return' cannot be in a continuing block");
    break;
  }
  const Type* wanted = function_->return_type;
  if (statement.value == nullptr) {
    if (wanted != nullptr && !wanted->is(TypeKind::Void))
      error(statement.span,
            "function " + quoted(function_->name) + " must return a value of type " + quoted(spelling(wanted)));
    return;
  }
  if (wanted == nullptr || !wanted->is(TypeKind::Void)) {
    if (wanted == nullptr) {
      value(statement.value);
    } else {
      value_as(statement.value, wanted, "cannot return");
    }
    return;
  }
  if (value(statement.value) != nullptr)
    error(statement.value->span, "function " + quoted(function_->name) + " does not return a value");
}

void Resolver::call_statement(const ast::CallStmt& statement) {
  const Type* type = call(*statement.call);
  if (type == nullptr) return;
  const CallTarget* target = at(statement.call).call();
  if (target == nullptr) return;
  bool must_use = true;
  if (target->kind == CallTarget::Kind::Function) must_use = target->function->must_use;
  if (target->kind == CallTarget::Kind::Builtin) must_use = (signature(target->builtin).flags & kMustUse) != 0;
  if (!must_use) return;
  const std::string callee(statement.call->callee->name());
  Diagnostic& diagnostic = error(statement.span, "the result of " + quoted(callee) + " must be used");
  diagnostic.notes.push_back({statement.span, "write '_ = " + callee + "(...);' if it is not wanted"});
}

}  // namespace kem::wgsl::sem
