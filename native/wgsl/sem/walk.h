// Walks over statements and expressions in source order, without recursion.
#pragma once

#include <span>
#include <utility>

#include "base/small_vector.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::sem {

// The direct operands of an expression, left to right; callees and template arguments are not among them.
template <class F>
void for_each_operand(const ast::Expr* e, F f) {
  switch (e->kind) {
    case ast::ExprKind::Call:
      for (const ast::Expr* argument : static_cast<const ast::Call*>(e)->args) f(argument);
      break;
    case ast::ExprKind::Index:
      f(static_cast<const ast::Index*>(e)->object);
      f(static_cast<const ast::Index*>(e)->index);
      break;
    case ast::ExprKind::Member:
      f(static_cast<const ast::Member*>(e)->object);
      break;
    case ast::ExprKind::Unary:
      f(static_cast<const ast::Unary*>(e)->operand);
      break;
    case ast::ExprKind::Binary:
      f(static_cast<const ast::Binary*>(e)->lhs);
      f(static_cast<const ast::Binary*>(e)->rhs);
      break;
    default:
      break;
  }
}

// The expression and all that it is made of; null is nothing.
template <class F>
void for_each_expression(const ast::Expr* expression, F f) {
  if (expression == nullptr) return;
  SmallVector<const ast::Expr*, 16> stack{expression};
  while (!stack.empty()) {
    const ast::Expr* e = stack.back();
    stack.pop_back();
    f(e);
    const size_t first = stack.size();
    for_each_operand(e, [&](const ast::Expr* operand) { stack.push_back(operand); });
    for (size_t i = first, j = stack.size(); i + 1 < j; ++i) std::swap(stack[i], stack[--j]);
  }
}

// The expressions that stand in the statement itself, not in the statements within it; null ones are left out.
template <class F>
void for_each_direct_expression(const ast::Stmt* statement, F f) {
  const auto some = [&](const ast::Expr* e) {
    if (e != nullptr) f(e);
  };
  switch (statement->kind) {
    case ast::StmtKind::Declaration:
      return some(static_cast<const ast::Declaration*>(statement)->variable->initializer);
    case ast::StmtKind::Assign:
      some(static_cast<const ast::Assign*>(statement)->lhs);
      return some(static_cast<const ast::Assign*>(statement)->rhs);
    case ast::StmtKind::Phony:
      return some(static_cast<const ast::Phony*>(statement)->rhs);
    case ast::StmtKind::Increment:
      return some(static_cast<const ast::Increment*>(statement)->lhs);
    case ast::StmtKind::If:
      return some(static_cast<const ast::If*>(statement)->condition);
    case ast::StmtKind::Switch:
      return some(static_cast<const ast::Switch*>(statement)->condition);
    case ast::StmtKind::Loop:
      if (const auto* continuing = static_cast<const ast::Loop*>(statement)->continuing) some(continuing->break_if);
      return;
    case ast::StmtKind::For:
      return some(static_cast<const ast::For*>(statement)->condition);
    case ast::StmtKind::While:
      return some(static_cast<const ast::While*>(statement)->condition);
    case ast::StmtKind::Return:
      return some(static_cast<const ast::Return*>(statement)->value);
    case ast::StmtKind::Call:
      return some(static_cast<const ast::CallStmt*>(statement)->call);
    default:
      return;
  }
}

// The statements directly within a statement, in source order.
template <class F>
void for_each_substatement(const ast::Stmt* statement, F f) {
  const auto all = [&](std::span<const ast::Stmt* const> list) {
    for (const ast::Stmt* each : list) f(each);
  };
  switch (statement->kind) {
    case ast::StmtKind::Compound:
      return all(static_cast<const ast::Compound*>(statement)->statements);
    case ast::StmtKind::If:
      all(static_cast<const ast::If*>(statement)->then_block->statements);
      if (const ast::Stmt* otherwise = static_cast<const ast::If*>(statement)->else_block) f(otherwise);
      return;
    case ast::StmtKind::Switch:
      for (const ast::CaseClause* clause : static_cast<const ast::Switch*>(statement)->clauses) {
        all(clause->body->statements);
      }
      return;
    case ast::StmtKind::Loop:
      all(static_cast<const ast::Loop*>(statement)->statements);
      if (const auto* continuing = static_cast<const ast::Loop*>(statement)->continuing) all(continuing->statements);
      return;
    case ast::StmtKind::For: {
      const auto* loop = static_cast<const ast::For*>(statement);
      if (loop->initializer != nullptr) f(loop->initializer);
      all(loop->body->statements);
      if (loop->update != nullptr) f(loop->update);
      return;
    }
    case ast::StmtKind::While:
      return all(static_cast<const ast::While*>(statement)->body->statements);
    default:
      return;
  }
}

// The statement and all the statements within it.
template <class F>
void for_each_statement(const ast::Stmt* statement, F f) {
  SmallVector<const ast::Stmt*, 32> stack{statement};
  while (!stack.empty()) {
    const ast::Stmt* s = stack.back();
    stack.pop_back();
    f(s);
    const size_t first = stack.size();
    for_each_substatement(s, [&](const ast::Stmt* each) { stack.push_back(each); });
    for (size_t i = first, j = stack.size(); i + 1 < j; ++i) std::swap(stack[i], stack[--j]);
  }
}

}  // namespace kem::wgsl::sem
