#include "wgsl/sem/resolve_order.h"

#include <algorithm>

#include "wgsl/sem/scope.h"

namespace kem::wgsl::sem {
namespace {

struct Mention {
  uint32_t target;
  Span span;
};

// Collects the module-scope names that one declaration mentions, minding local declarations that hide them.
class MentionCollector {
 public:
  MentionCollector(const DeclaredNames& names, uint32_t symbol_count) : names_(names), scopes_(symbol_count) {}

  std::vector<Mention> collect(const ast::Decl& declaration) {
    mentions_.clear();
    switch (declaration.kind) {
      case ast::DeclKind::Variable:
        variable(static_cast<const ast::Variable&>(declaration));
        break;
      case ast::DeclKind::Alias:
        expr(static_cast<const ast::Alias&>(declaration).type);
        break;
      case ast::DeclKind::Struct:
        for (const ast::StructMember* member : static_cast<const ast::Struct&>(declaration).members) {
          attributes(member->attributes);
          expr(member->type);
        }
        break;
      case ast::DeclKind::Function:
        function(static_cast<const ast::Function&>(declaration));
        break;
      case ast::DeclKind::ConstAssert:
        expr(static_cast<const ast::ConstAssert&>(declaration).condition);
        break;
    }
    return mentions_;
  }

 private:
  void name(const Symbol* symbol, Span span) {
    const uint32_t index = names_.find(symbol);
    if (index != DeclaredNames::kNone && scopes_.find(symbol) == nullptr) mentions_.push_back({index, span});
  }

  // Only what hides a module-scope name matters.
  void declare(const Symbol* symbol) {
    if (names_.find(symbol) != DeclaredNames::kNone) scopes_.declare(symbol, {});
  }

  void identifier(const ast::Identifier& identifier) {
    name(identifier.symbol, identifier.name_span());
    for (const ast::Expr* argument : identifier.template_args()) expr(argument);
  }

  void expr(const ast::Expr* e) {
    if (e == nullptr || depth_ >= kDeepestExpression) return;
    depth_++;
    switch (e->kind) {
      case ast::ExprKind::Literal:
        break;
      case ast::ExprKind::Identifier:
        identifier(*static_cast<const ast::Identifier*>(e));
        break;
      case ast::ExprKind::Call: {
        const auto& call = *static_cast<const ast::Call*>(e);
        identifier(*call.callee);
        for (const ast::Expr* argument : call.args) expr(argument);
        break;
      }
      case ast::ExprKind::Index:
        expr(static_cast<const ast::Index*>(e)->object);
        expr(static_cast<const ast::Index*>(e)->index);
        break;
      case ast::ExprKind::Member:
        expr(static_cast<const ast::Member*>(e)->object);
        break;
      case ast::ExprKind::Unary:
        expr(static_cast<const ast::Unary*>(e)->operand);
        break;
      case ast::ExprKind::Binary:
        expr(static_cast<const ast::Binary*>(e)->lhs);
        expr(static_cast<const ast::Binary*>(e)->rhs);
        break;
    }
    depth_--;
  }

  void attributes(ast::Attributes list) {
    for (const ast::Attribute* attribute : list)
      for (const ast::Expr* argument : attribute->args) expr(argument);
  }

  void variable(const ast::Variable& variable) {
    attributes(variable.attributes);
    for (const ast::Expr* argument : variable.template_args) expr(argument);
    expr(variable.type);
    expr(variable.initializer);
  }

  void function(const ast::Function& function) {
    attributes(function.attributes);
    attributes(function.return_attributes);
    expr(function.return_type);
    for (const ast::Parameter* parameter : function.parameters) {
      attributes(parameter->attributes);
      expr(parameter->type);
    }
    scopes_.push();
    for (const ast::Parameter* parameter : function.parameters) declare(parameter->name.symbol);
    statements(function.body->statements);
    scopes_.pop();
  }

  void statements(std::span<const ast::Stmt* const> list) {
    for (const ast::Stmt* statement : list) stmt(statement);
  }

  void block(std::span<const ast::Stmt* const> list) {
    scopes_.push();
    statements(list);
    scopes_.pop();
  }

  void conditional(const ast::If* statement) {
    while (statement != nullptr) {
      expr(statement->condition);
      block(statement->then_block->statements);
      const ast::Stmt* next = statement->else_block;
      if (next != nullptr && next->kind == ast::StmtKind::Compound)
        block(static_cast<const ast::Compound*>(next)->statements);
      statement = next != nullptr && next->kind == ast::StmtKind::If ? static_cast<const ast::If*>(next) : nullptr;
    }
  }

  void loop(const ast::Loop& loop) {
    scopes_.push();
    statements(loop.statements);
    if (loop.continuing != nullptr) {
      scopes_.push();
      statements(loop.continuing->statements);
      expr(loop.continuing->break_if);
      scopes_.pop();
    }
    scopes_.pop();
  }

  void for_loop(const ast::For& loop) {
    scopes_.push();
    if (loop.initializer != nullptr) stmt(loop.initializer);
    expr(loop.condition);
    if (loop.update != nullptr) stmt(loop.update);
    block(loop.body->statements);
    scopes_.pop();
  }

  void stmt(const ast::Stmt* statement) {
    switch (statement->kind) {
      case ast::StmtKind::Compound:
        block(static_cast<const ast::Compound*>(statement)->statements);
        break;
      case ast::StmtKind::Declaration: {
        const ast::Variable& declared = *static_cast<const ast::Declaration*>(statement)->variable;
        variable(declared);
        declare(declared.name.symbol);
        break;
      }
      case ast::StmtKind::Assign:
        expr(static_cast<const ast::Assign*>(statement)->lhs);
        expr(static_cast<const ast::Assign*>(statement)->rhs);
        break;
      case ast::StmtKind::Phony:
        expr(static_cast<const ast::Phony*>(statement)->rhs);
        break;
      case ast::StmtKind::Increment:
        expr(static_cast<const ast::Increment*>(statement)->lhs);
        break;
      case ast::StmtKind::If:
        conditional(static_cast<const ast::If*>(statement));
        break;
      case ast::StmtKind::Switch: {
        const auto& chosen = *static_cast<const ast::Switch*>(statement);
        expr(chosen.condition);
        for (const ast::CaseClause* clause : chosen.clauses) {
          for (const ast::Expr* selector : clause->selectors) expr(selector);
          block(clause->body->statements);
        }
        break;
      }
      case ast::StmtKind::Loop:
        loop(*static_cast<const ast::Loop*>(statement));
        break;
      case ast::StmtKind::For:
        for_loop(*static_cast<const ast::For*>(statement));
        break;
      case ast::StmtKind::While:
        expr(static_cast<const ast::While*>(statement)->condition);
        block(static_cast<const ast::While*>(statement)->body->statements);
        break;
      case ast::StmtKind::Return:
        expr(static_cast<const ast::Return*>(statement)->value);
        break;
      case ast::StmtKind::Call:
        expr(static_cast<const ast::CallStmt*>(statement)->call);
        break;
      case ast::StmtKind::ConstAssert:
        expr(static_cast<const ast::ConstAssertStmt*>(statement)->assertion->condition);
        break;
      case ast::StmtKind::Break:
      case ast::StmtKind::Continue:
      case ast::StmtKind::Discard:
        break;
    }
  }

  const DeclaredNames& names_;
  ScopeStack scopes_;
  std::vector<Mention> mentions_;
  uint32_t depth_ = 0;
};

// Depth-first over the mentions with a stack of its own: the source decides how long a chain is.
class Sorter {
 public:
  Sorter(const ast::Module& module, const DeclaredNames& names, Diagnostics& diagnostics,
         const std::function<void(uint32_t, bool)>& done)
      : module_(module),
        diagnostics_(diagnostics),
        done_(done),
        collector_(names, module.symbol_count),
        state_(module.declarations.size()),
        in_cycle_(module.declarations.size()) {}

  void run() {
    for (uint32_t i = 0; i < state_.size() && !diagnostics_.full(); i++)
      if (state_[i] == State::New) visit(i);
  }

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    uint32_t index;
    std::vector<Mention> mentions;
    size_t next = 0;  // mention to follow next
  };

  Frame open(uint32_t index) {
    state_[index] = State::Open;
    return {index, collector_.collect(*module_.declarations[index])};
  }

  // Every cycle that a declaration is part of is known when all it mentions has been followed.
  void visit(uint32_t start) {
    std::vector<Frame> stack;
    stack.push_back(open(start));
    while (!stack.empty() && !diagnostics_.full()) {
      Frame& frame = stack.back();
      if (frame.next == frame.mentions.size()) {
        const uint32_t index = frame.index;
        state_[index] = State::Done;
        stack.pop_back();
        done_(index, in_cycle_[index]);
        continue;
      }
      const uint32_t target = frame.mentions[frame.next++].target;
      if (state_[target] == State::Open) {
        report_cycle(stack, target);
      } else if (state_[target] == State::New) {
        stack.push_back(open(target));
      }
    }
  }

  void report_cycle(const std::vector<Frame>& stack, uint32_t target) {
    const auto first =
        std::find_if(stack.begin(), stack.end(), [&](const Frame& frame) { return frame.index == target; });
    const bool known = std::all_of(first, stack.end(), [&](const Frame& f) { return in_cycle_[f.index]; });
    for (auto frame = first; frame != stack.end(); ++frame) in_cycle_[frame->index] = true;
    if (known) return;
    const ast::Ident name = name_of(*module_.declarations[target]);
    Diagnostic& error = diagnostics_.error(name.span, "cyclic declaration of '" + std::string(name.name()) + "'");
    const bool function = module_.declarations[target]->kind == ast::DeclKind::Function;
    if (function) error.notes.push_back({name.span, "functions cannot be recursive: use a loop"});
    constexpr size_t kMostNotes = 10;
    for (auto frame = first; frame != stack.end() && error.notes.size() < kMostNotes; ++frame) {
      const Mention& mention = frame->mentions[frame->next - 1];
      error.notes.push_back(
          {mention.span, "'" + std::string(name_of(*module_.declarations[frame->index]).name()) + "' refers to '" +
                             std::string(name_of(*module_.declarations[mention.target]).name()) + "' here"});
    }
  }

  const ast::Module& module_;
  Diagnostics& diagnostics_;
  const std::function<void(uint32_t, bool)>& done_;
  MentionCollector collector_;
  std::vector<State> state_;    // by index
  std::vector<bool> in_cycle_;  // by index: these have been reported
};

}  // namespace

ast::Ident name_of(const ast::Decl& declaration) {
  switch (declaration.kind) {
    case ast::DeclKind::Variable:
      return static_cast<const ast::Variable&>(declaration).name;
    case ast::DeclKind::Alias:
      return static_cast<const ast::Alias&>(declaration).name;
    case ast::DeclKind::Struct:
      return static_cast<const ast::Struct&>(declaration).name;
    case ast::DeclKind::Function:
      return static_cast<const ast::Function&>(declaration).name;
    case ast::DeclKind::ConstAssert:
      break;
  }
  return {nullptr, declaration.span};
}

void in_order(const ast::Module& module, const DeclaredNames& names, Diagnostics& diagnostics,
              const std::function<void(uint32_t index, bool in_cycle)>& f) {
  Sorter(module, names, diagnostics, f).run();
}

}  // namespace kem::wgsl::sem
