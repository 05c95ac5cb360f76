#include "wgsl/transform/uniformity.h"

#include <algorithm>

#include "wgsl/ir/intrinsic.h"
#include "wgsl/transform/rewrite.h"

namespace kem::wgsl::transform {
namespace {

using ir::AddressSpace;
using ir::Block;
using ir::Function;
using ir::Instruction;
using ir::Intrinsic;
using ir::Op;
using ir::Value;
using ir::ValueKind;

// Rounds after which everything is taken to vary: only a chain of variables, each of which the next depends on and
// all written against the order of the text, takes more than a few.
constexpr int kMostRounds = 32;

bool is_pointer(const Value* v) { return sem::as_pointer(v->type) != nullptr; }

// The variable or parameter that a pointer points into.
const Value* root_of(const Value* pointer) {
  while (pointer->kind == ValueKind::Instruction) {
    const auto* i = static_cast<const Instruction*>(pointer);
    if (i->op != Op::Access) break;
    pointer = i->operands[0];
  }
  return pointer;
}

// Memory that only this invocation writes: what it holds depends on the stores that are seen.
bool is_own_memory(const Value* root) {
  const AddressSpace space = sem::as_pointer(root->type)->space;
  return space == AddressSpace::Function || space == AddressSpace::Private;
}

bool differs_by_itself(Intrinsic i) {
  switch (i) {
    case Intrinsic::WorkgroupId:
    case Intrinsic::DispatchBase:
    case Intrinsic::DispatchCount:
    case Intrinsic::DispatchZero:
    case Intrinsic::SubgroupSize:
    case Intrinsic::NumSubgroups:
      return false;
    default:
      return ir::row(i).form == ir::IntrinsicForm::Value || ir::row(i).effect == ir::IntrinsicEffect::Fixed;
  }
}

}  // namespace

// Finds out what has barriers and loops inside; true if the block has a barrier. Callees have been looked at.
bool Uniformity::look_inside(const Block& block, const Function& f) {
  bool any = false;
  for (const Instruction* i : block.instructions) {
    if (i->op == Op::Loop || (i->op == Op::Call && with_loop_.contains(i->callee))) with_loop_.insert(&f);
    bool found = i->op == Op::Call && with_barrier_.contains(i->callee);
    found |= i->op == Op::Intrinsic &&
             (i->intrinsic == Intrinsic::WorkgroupBarrier || i->intrinsic == Intrinsic::StorageBarrier);
    for_each_block(*i, [&](const Block* inner) { found |= look_inside(*inner, f); });
    if (found) collective_.insert(i);
    any |= found;
  }
  return any;
}

bool Uniformity::has_loop(const Instruction& i) const {
  if (i.op == Op::Loop || (i.op == Op::Call && with_loop_.contains(i.callee))) return true;
  bool found = false;
  for_each_block(i, [&](const Block* b) {
    found = found || std::ranges::any_of(b->instructions, [&](const Instruction* inner) { return has_loop(*inner); });
  });
  return found;
}

// `if (id.x < n) { everything }`: who does not come in has no part in any loop, so those inside are all there are.
void Uniformity::find_narrowing(const Block* block) {
  for (;;) {
    const Instruction* only = nullptr;
    for (const Instruction* i : block->instructions) {
      if (!has_loop(*i)) continue;
      if (only != nullptr) return;
      only = i;
    }
    if (only == nullptr || (only->op != Op::If && only->op != Op::Switch)) return;
    block = nullptr;
    bool several = false;
    for_each_block(*only, [&](const Block* inner) {
      if (std::ranges::none_of(inner->instructions, [&](const Instruction* i) { return has_loop(*i); })) return;
      several = block != nullptr;
      block = inner;
    });
    if (several) return;
    narrowing_.insert(only);
  }
}

// Walks all functions until nothing more is found to vary.
struct Uniformity::Walk {
  explicit Walk(Uniformity& found) : result(found), varies_(found.module_.id_bound()) {}

  // False if it has not come to an end.
  bool run() {
    for (int round = 0; round < kMostRounds; ++round) {
      changed_ = false;
      // Callers first: they tell how a function is reached.
      const auto& functions = result.module_.functions;
      for (auto f = functions.rbegin(); f != functions.rend(); ++f) function(**f);
      if (!changed_) return true;
    }
    return false;
  }

  void function(const Function& f) {
    gone_ = false;
    met_loop_ = f.id != result.module_.entry->id;
    block(*f.body, reached_apart_.contains(&f));
  }

  // `apart`: not all invocations that run are here.
  void block(const Block& b, bool apart) {
    for (const Instruction* i : b.instructions) instruction(*i, apart || gone_);
  }

  void instruction(const Instruction& i, bool apart) {
    switch (i.op) {
      case Op::Store:
        if (apart || varies(i.operands[0]) || varies(i.operands[1])) mark_memory(i.operands[0]);
        return;
      case Op::If:
      case Op::Switch:
      case Op::Loop:
        return control(i, apart);
      case Op::Break:
        if (apart) mark_apart(*breakable_.back());
        return;
      case Op::Continue:
        if (apart) mark_apart(*loops_.back());
        return;
      case Op::BreakIf:
        if (apart || varies(i.operands[0])) mark_apart(*loops_.back());
        return;
      case Op::Return:
        if (apart) leave();
        return;
      case Op::Unreachable:
        return;
      case Op::Call:
        return call(i, apart);
      default:
        if (value_varies(i)) mark(&i);
        return;
    }
  }

  void control(const Instruction& i, bool apart) {
    const bool collective = result.has_barrier(i);
    if (i.op != Op::Loop) {
      const bool chosen_apart = varies(i.operands[0]) && !collective && !result.narrowing_.contains(&i);
      if (i.op == Op::Switch) breakable_.push_back(&i);
      for_each_block(i, [&](const Block* inner) { block(*inner, apart || chosen_apart || is_apart(i)); });
      if (i.op == Op::Switch) breakable_.pop_back();
      return;
    }
    met_loop_ = true;
    if (apart && !collective) mark_apart(i);
    loops_.push_back(&i);
    breakable_.push_back(&i);
    for_each_block(i, [&](const Block* inner) { block(*inner, is_apart(i)); });
    loops_.pop_back();
    breakable_.pop_back();
  }

  void call(const Instruction& i, bool apart) {
    met_loop_ |= result.with_loop_.contains(i.callee);
    if (apart && !result.has_barrier(i) && reached_apart_.insert(i.callee).second) changed_ = true;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Value* argument = i.operands[k];
      if (is_pointer(argument)) mark_memory(argument);
      if (is_pointer(argument) || varies(argument)) mark(i.callee->parameters[k]);
    }
    mark(&i);
  }

  bool value_varies(const Instruction& i) {
    switch (i.op) {
      case Op::Var:
        return !i.operands.empty() && varies(i.operands[0]);
      case Op::Load: {
        const auto* pointer = sem::as_pointer(i.operands[0]->type);
        const bool constant = pointer->space == AddressSpace::Uniform || pointer->access == sem::AccessMode::Read;
        return varies(i.operands[0]) || !(constant || is_own_memory(root_of(i.operands[0])));
      }
      case Op::Builtin:
        return true;
      case Op::Intrinsic:
        for (const Value* operand : i.operands) {
          if (differs_by_itself(i.intrinsic) && is_pointer(operand)) mark_memory(operand);
        }
        if (differs_by_itself(i.intrinsic)) return true;
        break;
      default:
        break;
    }
    return std::ranges::any_of(i.operands, [&](const Value* operand) { return varies(operand); });
  }

  // An invocation goes where others stay. In the entry point it is gone for good, which does not matter as long as
  // it has not been through a loop; from another function it comes back, but not before the function's end.
  void leave() {
    for (const Instruction* i : loops_) mark_apart(*i);
    for (const Instruction* i : breakable_) mark_apart(*i);
    gone_ |= met_loop_;
  }

  bool is_apart(const Instruction& i) const { return result.apart_.contains(&i); }

  void mark_apart(const Instruction& i) {
    if (!result.has_barrier(i)) changed_ |= result.apart_.insert(&i).second;
  }

  bool varies(const Value* v) const { return varies_[v->id]; }

  void mark(const Value* v) {
    if (varies_[v->id]) return;
    varies_[v->id] = true;
    changed_ = true;
  }

  void mark_memory(const Value* pointer) {
    const Value* root = root_of(pointer);
    if (is_own_memory(root)) mark(root);
  }

  Uniformity& result;
  std::vector<bool> varies_;  // by Value::id; of a variable: what it holds
  std::unordered_set<const Function*> reached_apart_;
  std::vector<const Instruction*> loops_, breakable_;  // around the instruction at hand
  bool gone_ = false;                                  // some have returned from the function, and it matters
  bool met_loop_ = false;
  bool changed_ = false;
};

Uniformity::Uniformity(const ir::Module& module) : module_(module) {
  for (const Function* f : module.functions) {
    if (look_inside(*f->body, *f)) with_barrier_.insert(f);
  }
  find_narrowing(module.entry->body);
  if (Walk(*this).run()) return;
  for (Function* f : module.functions) {
    for_each(f->body, [&](const Instruction& i) {
      if (i.op == Op::Loop && !has_barrier(i)) apart_.insert(&i);
    });
  }
}

}  // namespace kem::wgsl::transform
