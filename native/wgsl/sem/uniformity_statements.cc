// Statements and the values of function-scope variables (spec "Uniformity Rules for Statements", "Function-scope
// Variable Value Analysis", "Statement Behavior Analysis").
//
// A variable's value is a node. Branches are walked one after the other from the same state: what a branch changed
// is read off a log and rolled back, and where branches join, each variable that any of them changed gets a node
// with an edge to each arriving value. Loops and switches know beforehand what they may write.
#include <algorithm>
#include <utility>

#include "wgsl/sem/uniformity_impl.h"

namespace kem::wgsl::sem::uniformity {

Builder::Builder(Context& context, const Function& function)
    : graph(function.parameters.size()),
      context_(context),
      function_(function),
      roots_(context.info, function),
      writes_(context.info, function, roots_) {
  returned_.assign(function.parameters.size(), kNoNode);
}

void Builder::run() {
  for (size_t i = 0; i < function_.parameters.size(); ++i) {
    set(function_.parameters[i], Graph::parameter_contents(i));
  }
  const Result result = statements(Graph::kControlFlowStart, function_.syntax->body->statements);
  if ((result.behavior & kNext) != 0) leave_function();
}

// ---- Values of variables --------------------------------------------------------------------------------

Node Builder::current(uint32_t id) const {
  return id < first_id_ || id - first_id_ >= current_.size() ? kNoNode : current_[id - first_id_].value;
}

// Ids are dense over the program, and a function's follow one another: the table begins at the first one seen.
Builder::Slot& Builder::slot(uint32_t id) {
  if (current_.empty()) first_id_ = id;
  if (id < first_id_) {
    current_.insert(current_.begin(), first_id_ - id, Slot{});
    first_id_ = id;
  }
  if (id - first_id_ >= current_.size()) current_.resize(id - first_id_ + 1);
  return current_[id - first_id_];
}

void Builder::set(uint32_t id, Node value) {
  Slot& at = slot(id);
  log_.emplace_back(id, at.value);
  journal_.push_back(id);
  at.value = value;
}

// Whether this is the first time since ++stamp_.
bool Builder::first_seen(uint32_t id) { return std::exchange(slot(id).stamp, stamp_) != stamp_; }

std::vector<std::pair<uint32_t, Node>> Builder::changes_since(size_t mark) {
  ++stamp_;
  std::vector<std::pair<uint32_t, Node>> changes;
  for (size_t i = mark; i < log_.size(); ++i) {
    const uint32_t id = log_[i].first;
    if (first_seen(id)) changes.emplace_back(id, current(id));
  }
  return changes;
}

void Builder::roll_back(size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    slot(log_.back().first).value = log_.back().second;
    journal_.push_back(log_.back().first);
  }
}

// After the branches of an `if`, which were all rolled back to the current state.
void Builder::join(std::span<const Outcome> outcomes) {
  size_t arriving = 0;
  const Outcome* last = nullptr;
  for (const Outcome& outcome : outcomes) {
    if ((outcome.result.behavior & kNext) == 0) continue;
    ++arriving;
    last = &outcome;
  }
  if (arriving == 0) return;
  if (arriving == 1) {
    for (const auto& [id, node] : last->changed) set(id, node);
    return;
  }
  struct Joined {
    Node node;
    size_t arrivals;
  };
  std::unordered_map<uint32_t, Joined> joined;
  std::vector<uint32_t> order;
  for (const Outcome& outcome : outcomes) {
    if ((outcome.result.behavior & kNext) == 0) continue;
    for (const auto& [id, node] : outcome.changed) {
      if (current(id) == kNoNode) continue;  // declared within the branch
      const auto [at, is_new] = joined.try_emplace(id, Joined{kNoNode, 0});
      if (is_new) {
        at->second.node = graph.add();
        order.push_back(id);
      }
      graph.edge(at->second.node, node);
      ++at->second.arrivals;
    }
  }
  for (const uint32_t id : order) {
    const Joined& at = joined[id];
    if (at.arrivals < arriving) graph.edge(at.node, current(id));
    set(id, at.node);
  }
}

// The first arrival brings every variable, a later one only those that changed since.
void Builder::arrive(Join& join) {
  if (!join.arrived) {
    for (const Variable* variable : writes_.of(join.statement)) {
      if (current(variable) == kNoNode) continue;  // not declared yet
      join.nodes.emplace_back(variable->id, graph.add());
      graph.edge(join.nodes.back().second, current(variable));
    }
  } else {
    ++stamp_;
    for (size_t i = join.seen; i < journal_.size(); ++i) {
      const uint32_t id = journal_[i];
      if (!first_seen(id) || current(id) == kNoNode) continue;
      const auto at = std::ranges::lower_bound(join.nodes, id, {}, [](const auto& pair) { return pair.first; });
      if (at != join.nodes.end() && at->first == id) graph.edge(at->second, current(id));
    }
  }
  join.arrived = true;
  join.seen = journal_.size();
}

void Builder::continue_from(const Join& join) {
  for (const auto& [id, node] : join.nodes) set(id, node);
}

// ---- Statements -----------------------------------------------------------------------------------------

Builder::Result Builder::statements(Node cf, std::span<const ast::Stmt* const> list) {
  uint8_t behavior = kNext;
  for (const ast::Stmt* each : list) {
    if ((behavior & kNext) == 0 || graph.full()) break;  // unreachable: no part of the analysis
    const Result result = statement(cf, each);
    cf = result.cf;
    behavior = static_cast<uint8_t>((behavior & ~kNext) | result.behavior);
  }
  return {cf, behavior};
}

Builder::Result Builder::statement(Node cf, const ast::Stmt* statement) {
  switch (statement->kind) {
    case ast::StmtKind::Compound:
      return statements(cf, static_cast<const ast::Compound*>(statement)->statements);
    case ast::StmtKind::Declaration:
      declaration(cf, static_cast<const ast::Declaration*>(statement)->variable);
      return {cf, kNext};
    case ast::StmtKind::Assign: {
      const auto* assigned = static_cast<const ast::Assign*>(statement);
      assign(cf, assigned->lhs, assigned->rhs, assigned->compound);
      return {cf, kNext};
    }
    case ast::StmtKind::Increment:
      assign(cf, static_cast<const ast::Increment*>(statement)->lhs, nullptr, true);
      return {cf, kNext};
    case ast::StmtKind::Phony:
      value(cf, static_cast<const ast::Phony*>(statement)->rhs);
      return {cf, kNext};
    case ast::StmtKind::Call:
      value(cf, static_cast<const ast::CallStmt*>(statement)->call);
      return {cf, kNext};
    case ast::StmtKind::If:
      return if_statement(cf, static_cast<const ast::If*>(statement));
    case ast::StmtKind::Switch:
      return switch_statement(cf, static_cast<const ast::Switch*>(statement));
    case ast::StmtKind::Loop:
      return loop_statement(cf, static_cast<const ast::Loop*>(statement));
    case ast::StmtKind::For:
      return for_statement(cf, static_cast<const ast::For*>(statement));
    case ast::StmtKind::While:
      return while_statement(cf, static_cast<const ast::While*>(statement));
    case ast::StmtKind::Break:
      arrive(*frames_.back().breaks);
      return {cf, kBreak};
    case ast::StmtKind::Continue: {
      const auto loop = std::ranges::find_if(frames_.rbegin(), frames_.rend(),
                                             [](const Frame& frame) { return frame.continues != nullptr; });
      arrive(*loop->continues);
      return {cf, kContinue};
    }
    case ast::StmtKind::Return:
      return_statement(cf, static_cast<const ast::Return*>(statement));
      return {cf, kReturn};
    case ast::StmtKind::Discard:
    case ast::StmtKind::ConstAssert:
      break;
  }
  return {cf, kNext};
}

Node Builder::condition(Node cf, const ast::Expr* expression) {
  const Node node = graph.add({.reason = Reason::Condition, .span = expression->span});
  graph.edge(node, value(cf, expression));
  return node;
}

void Builder::declaration(Node cf, const ast::Variable* syntax) {
  const Variable* declared = context_.info.declared_by(syntax);
  if (declared == nullptr || syntax->variable_kind == ast::VariableKind::Const) return;
  set(declared, syntax->initializer == nullptr ? cf : value(cf, syntax->initializer));
}

// `rhs` is null for an increment.
void Builder::assign(Node cf, const ast::Expr* lhs, const ast::Expr* rhs, bool reads_lhs) {
  // The indices of the left-hand side, and the pointer's own value: which memory is written depends on them.
  const Node place = value(cf, lhs, false);
  const Root root = roots_.of(lhs);
  const bool tracked = is_tracked(root.variable);
  const Node stored = graph.add();
  graph.edge(stored, cf);
  graph.edge(stored, place);
  if (tracked && (reads_lhs || !root.full)) graph.edge(stored, current(root.variable));
  if (rhs != nullptr) graph.edge(stored, value(cf, rhs));
  if (tracked) set(root.variable, stored);
}

void Builder::return_statement(Node cf, const ast::Return* statement) {
  if (statement->value != nullptr) graph.edge(Graph::kReturnValue, value(cf, statement->value));
  leave_function();
}

void Builder::leave_function() {
  for (size_t i = 0; i < function_.parameters.size(); ++i) {
    const Variable* variable = function_.parameters[i];
    if (!is_tracked(variable) || returned_[i] == current(variable)) continue;
    returned_[i] = current(variable);
    graph.edge(Graph::parameter_output(i), returned_[i]);
  }
}

// An `else if` chain is a nest of ifs, each in the else branch of the one before; it may be long, so it is walked
// in a loop and its results are put together from the innermost outwards.
Builder::Result Builder::if_statement(Node cf, const ast::If* statement) {
  std::vector<Node> inputs;  // control flow that each `if` of the chain begins with
  std::vector<Outcome> outcomes;
  size_t mark = 0;
  const auto branch = [&](Node from, std::span<const ast::Stmt* const> body) {
    const size_t own = log_.size();
    const Result result = statements(from, body);
    outcomes.push_back({result, changes_since(mark)});
    graph.spend(outcomes.back().changed.size());
    roll_back(own);
  };
  for (const ast::If* at = statement;;) {
    inputs.push_back(cf);
    cf = condition(cf, at->condition);
    if (at == statement) mark = log_.size();  // what the first condition changed holds for every branch
    branch(cf, at->then_block->statements);
    if (at->else_block == nullptr || graph.full()) {
      branch(cf, {});
      break;
    }
    if (at->else_block->kind != ast::StmtKind::If) {
      branch(cf, static_cast<const ast::Compound*>(at->else_block)->statements);
      break;
    }
    at = static_cast<const ast::If*>(at->else_block);
  }
  roll_back(mark);
  join(outcomes);
  Result result = outcomes.back().result;
  for (size_t i = inputs.size(); i-- > 0;) {
    const Result& taken = outcomes[i].result;
    const auto behavior = static_cast<uint8_t>(taken.behavior | result.behavior);
    if (behavior == kNext) {
      result = {inputs[i], kNext};
      continue;
    }
    const Node end = graph.add();
    graph.edge(end, taken.cf);
    graph.edge(end, result.cf);
    result = {end, behavior};
  }
  return result;
}

Builder::Result Builder::switch_statement(Node cf, const ast::Switch* statement) {
  const Node selected = condition(cf, statement->condition);
  Join exit{statement};
  frames_.push_back({&exit, nullptr});
  uint8_t behavior = 0;
  std::vector<Node> ends;
  for (const ast::CaseClause* clause : statement->clauses) {
    const size_t mark = log_.size();
    const Result result = statements(selected, clause->body->statements);
    if ((result.behavior & kNext) != 0) arrive(exit);
    roll_back(mark);
    behavior |= result.behavior;
    ends.push_back(result.cf);
  }
  frames_.pop_back();
  continue_from(exit);
  if ((behavior & kBreak) != 0) behavior = static_cast<uint8_t>((behavior & ~kBreak) | kNext);
  if (behavior == kNext) return {cf, behavior};
  const Node end = graph.add();
  for (const Node each : ends) graph.edge(end, each);
  return {end, behavior};
}

// `loop { body continuing { … } }`. body(cf) and continuing(cf) walk the two parts; continuing calls arrive on the
// frame's breaks for a `break if`.
template <class Body, class Continuing>
Builder::Result Builder::loop(Node cf, const ast::Stmt* statement, Body body, Continuing continuing) {
  const Node iteration = graph.add();  // control flow where each iteration starts
  graph.edge(iteration, cf);
  Join header{statement}, exit{statement}, next{statement};
  arrive(header);
  continue_from(header);
  frames_.push_back({&exit, &next});
  const Result first = body(iteration);
  if ((first.behavior & kNext) != 0) arrive(next);
  uint8_t behavior = first.behavior;
  Node end = first.cf;
  if ((first.behavior & (kNext | kContinue)) != 0) {
    continue_from(next);
    const Result second = continuing(first.cf);
    behavior |= second.behavior;
    for (const auto& [id, node] : header.nodes) graph.edge(node, current(id));
    graph.edge(iteration, second.cf);
    end = iteration;
  }
  frames_.pop_back();
  continue_from(exit);
  const Node result = (first.behavior & kReturn) != 0 ? end : cf;
  const bool breaks = (behavior & kBreak) != 0;
  behavior = static_cast<uint8_t>(behavior & ~(kNext | kBreak | kContinue));
  return {result, static_cast<uint8_t>(behavior | (breaks ? kNext : 0))};
}

Builder::Result Builder::loop_statement(Node cf, const ast::Loop* statement) {
  return loop(
      cf, statement, [&](Node from) { return statements(from, statement->statements); },
      [&](Node from) -> Result {
        if (statement->continuing == nullptr) return {from, kNext};
        const Result result = statements(from, statement->continuing->statements);
        const ast::Expr* leave = statement->continuing->break_if;
        if (leave == nullptr) return result;
        const Node decided = condition(result.cf, leave);
        arrive(*frames_.back().breaks);
        return {decided, static_cast<uint8_t>(result.behavior | kBreak)};
      });
}

// A `for` is a loop that begins with `if !(condition) { break; }` and whose continuing part is the update.
Builder::Result Builder::for_statement(Node cf, const ast::For* statement) {
  if (statement->initializer != nullptr) cf = this->statement(cf, statement->initializer).cf;
  return loop(
      cf, statement,
      [&](Node from) -> Result {
        if (statement->condition == nullptr) return statements(from, statement->body->statements);
        from = condition(from, statement->condition);
        arrive(*frames_.back().breaks);
        const Result result = statements(from, statement->body->statements);
        return {result.cf, static_cast<uint8_t>(result.behavior | kBreak)};
      },
      [&](Node from) -> Result {
        if (statement->update == nullptr) return {from, kNext};
        return this->statement(from, statement->update);
      });
}

Builder::Result Builder::while_statement(Node cf, const ast::While* statement) {
  return loop(
      cf, statement,
      [&](Node from) -> Result {
        from = condition(from, statement->condition);
        arrive(*frames_.back().breaks);
        const Result result = statements(from, statement->body->statements);
        return {result.cf, static_cast<uint8_t>(result.behavior | kBreak)};
      },
      [&](Node from) -> Result {
        return {from, kNext};
      });
}

}  // namespace kem::wgsl::sem::uniformity
