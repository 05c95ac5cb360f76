// The first walk of a function: what its loops and switches write. The walk that builds the graph needs to know it
// beforehand (spec "Function-scope Variable Value Analysis").
#include <algorithm>
#include <utility>

#include "wgsl/sem/uniformity_impl.h"
#include "wgsl/sem/walk.h"

namespace kem::wgsl::sem::uniformity {

bool is_view(const Type* type) { return as_reference(type) != nullptr || as_pointer(type) != nullptr; }

bool is_tracked(const Variable* variable) {
  if (variable == nullptr) return false;
  if (variable->kind == Variable::Kind::Var) return !variable->is_module_scope();
  const MemoryView* pointer = as_pointer(variable->type);
  return variable->kind == Variable::Kind::Parameter && pointer != nullptr && pointer->space == AddressSpace::Function;
}

Writes::Writes(const Info& info, const Function& function, const PointerRoots& roots) : info_(info), roots_(roots) {
  statement(function.syntax->body);
}

const std::vector<const Variable*>& Writes::of(const ast::Stmt* statement) const {
  static const std::vector<const Variable*> kNone;
  const auto found = writes_.find(statement);
  return found == writes_.end() ? kNone : found->second;
}

void Writes::write(const ast::Expr* view) {
  if (innermost_ == nullptr) return;
  const Root root = roots_.of(view);
  if (is_tracked(root.variable)) innermost_->push_back(root.variable);
}

// What a call may write: all that its pointer arguments point to.
void Writes::calls(const ast::Stmt* statement) {
  for_each_direct_expression(statement, [&](const ast::Expr* whole) {
    for_each_expression(whole, [&](const ast::Expr* e) {
      if (e->kind != ast::ExprKind::Call) return;
      for (const ast::Expr* argument : static_cast<const ast::Call*>(e)->args) {
        if (as_pointer(info_[argument].type) != nullptr) write(argument);
      }
    });
  });
}

// An `else if` chain may be longer than the nesting limit, so it is walked in a loop.
void Writes::branches(const ast::If* statement) {
  while (true) {
    this->statement(statement->then_block);
    if (statement->else_block == nullptr) return;
    if (statement->else_block->kind != ast::StmtKind::If) return this->statement(statement->else_block);
    statement = static_cast<const ast::If*>(statement->else_block);
    calls(statement);
  }
}

// A loop or a switch: it has what is written in it, and so has what it stands in.
void Writes::gather(const ast::Stmt* statement) {
  std::vector<const Variable*> written;
  std::vector<const Variable*>* const outer = std::exchange(innermost_, &written);
  calls(statement);
  for_each_substatement(statement, [&](const ast::Stmt* each) { this->statement(each); });
  innermost_ = outer;
  std::ranges::sort(written, {}, &Variable::id);
  written.erase(std::unique(written.begin(), written.end()), written.end());
  if (outer != nullptr) outer->insert(outer->end(), written.begin(), written.end());
  writes_.emplace(statement, std::move(written));
}

void Writes::statement(const ast::Stmt* statement) {
  switch (statement->kind) {
    case ast::StmtKind::Loop:
    case ast::StmtKind::For:
    case ast::StmtKind::While:
    case ast::StmtKind::Switch:
      return gather(statement);
    case ast::StmtKind::Assign:
      write(static_cast<const ast::Assign*>(statement)->lhs);
      break;
    case ast::StmtKind::Increment:
      write(static_cast<const ast::Increment*>(statement)->lhs);
      break;
    default:
      break;
  }
  calls(statement);
  if (statement->kind == ast::StmtKind::If) return branches(static_cast<const ast::If*>(statement));
  for_each_substatement(statement, [&](const ast::Stmt* each) { this->statement(each); });
}

}  // namespace kem::wgsl::sem::uniformity
