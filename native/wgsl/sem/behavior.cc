// Spec "Statements Behavior Analysis": in which ways control may leave each statement.
#include <cstdint>

#include "wgsl/sem/validate.h"

namespace kem::wgsl::sem {
namespace {

using Behavior = uint8_t;  // a set of:
constexpr Behavior kReturn = 1, kBreak = 2, kContinue = 4, kNext = 8;

Behavior without(Behavior behavior, Behavior removed) { return static_cast<Behavior>(behavior & ~removed); }
Behavior join(Behavior a, Behavior b) { return static_cast<Behavior>(a | b); }

class Analysis {
 public:
  explicit Analysis(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void function(const Function& function) {
    const ast::Function& syntax = *function.syntax;
    const Behavior body = sequence(syntax.body->statements);
    if (body == 0) return;  // reported at the loop
    if (syntax.return_type != nullptr && body != kReturn) {
      Diagnostic& diagnostic = diagnostics_.error(
          syntax.name.span, "function '" + std::string(function.name) + "' does not return a value on every path");
      diagnostic.notes.push_back({syntax.return_type->span, "return type declared here"});
    }
  }

 private:
  Behavior sequence(std::span<const ast::Stmt* const> statements) {
    Behavior behavior = kNext;
    for (const ast::Stmt* statement : statements) {
      const Behavior next = stmt(*statement);
      // What follows a statement that never falls through is dead code: permitted, but still analyzed.
      if ((behavior & kNext) != 0) behavior = join(without(behavior, kNext), next);
    }
    return behavior;
  }

  Behavior conditional(const ast::If& statement) {
    Behavior behavior = 0;
    for (const ast::If* link = &statement;;) {
      behavior = join(behavior, sequence(link->then_block->statements));
      const ast::Stmt* next = link->else_block;
      if (next == nullptr) return join(behavior, kNext);
      if (next->kind != ast::StmtKind::If)
        return join(behavior, sequence(static_cast<const ast::Compound*>(next)->statements));
      link = static_cast<const ast::If*>(next);
    }
  }

  Behavior switch_statement(const ast::Switch& statement) {
    Behavior behavior = 0;
    for (const ast::CaseClause* clause : statement.clauses)
      behavior = join(behavior, sequence(clause->body->statements));
    return (behavior & kBreak) != 0 ? without(join(behavior, kNext), kBreak) : behavior;
  }

  Behavior loop(Span span, Behavior body, Behavior continuing) {
    if (body == kReturn) return kReturn;
    const Behavior both = join(body, continuing);
    const Behavior result =
        (both & kBreak) != 0 ? without(join(both, kNext), kBreak | kContinue) : without(both, kContinue | kNext);
    if (result != 0) return result;
    diagnostics_.error(span, "loop does not exit: it has no 'break' or 'return'");
    return kNext;
  }

  Behavior loop(const ast::Loop& statement) {
    const Behavior body = sequence(statement.statements);
    Behavior continuing = kNext;
    if (statement.continuing != nullptr) {
      continuing = sequence(statement.continuing->statements);
      if (statement.continuing->break_if != nullptr) continuing = join(continuing, kBreak);
    }
    return loop(statement.span, body, continuing);
  }

  Behavior for_loop(const ast::For& statement) {
    Behavior body = sequence(statement.body->statements);
    if (statement.condition != nullptr) body = join(body, kBreak);  // if !(condition) { break; } body
    return loop(statement.span, body, kNext);
  }

  Behavior stmt(const ast::Stmt& statement) {
    switch (statement.kind) {
      case ast::StmtKind::Compound:
        return sequence(static_cast<const ast::Compound&>(statement).statements);
      case ast::StmtKind::If:
        return conditional(static_cast<const ast::If&>(statement));
      case ast::StmtKind::Switch:
        return switch_statement(static_cast<const ast::Switch&>(statement));
      case ast::StmtKind::Loop:
        return loop(static_cast<const ast::Loop&>(statement));
      case ast::StmtKind::For:
        return for_loop(static_cast<const ast::For&>(statement));
      case ast::StmtKind::While:
        return loop(statement.span, join(sequence(static_cast<const ast::While&>(statement).body->statements), kBreak),
                    kNext);
      case ast::StmtKind::Break:
        return kBreak;
      case ast::StmtKind::Continue:
        return kContinue;
      case ast::StmtKind::Return:
        return kReturn;
      default:
        return kNext;
    }
  }

  Diagnostics& diagnostics_;
};

}  // namespace

void validate_behavior(const ast::Module&, const Info& info, Diagnostics& diagnostics) {
  Analysis analysis(diagnostics);
  for (const Function* function : info.functions) analysis.function(*function);
}

}  // namespace kem::wgsl::sem
