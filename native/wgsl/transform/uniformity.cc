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

using Sources = Uniformity::Sources;

constexpr Sources kItself = Uniformity::kItself;
constexpr Sources kReached = 2;  // some invocations may not come to the function
constexpr size_t kFirstParameter = 2, kFirstPrivate = 32;

// Of the parameter or private variable with this index; those that have no bit vary in any case.
Sources parameter_bit(size_t index) {
  return kFirstParameter + index < kFirstPrivate ? Sources{1} << (kFirstParameter + index) : kItself;
}
Sources private_bit(size_t index) {
  return kFirstPrivate + index < 64 ? Sources{1} << (kFirstPrivate + index) : kItself;
}

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

// Walks a function until nothing more is found to vary.
class Uniformity::Walk {
 public:
  Walk(Uniformity& found, const Function& function)
      : result_(found), function_(function), effects_before_(found.effects_.size()) {
    for (const ir::Parameter* p : function.parameters) {
      result_.varying_values_[p] = is_pointer(p) ? kItself : parameter_bit(p->index);
    }
    for (size_t k = 0; k < found.private_.size(); ++k) result_.varying_values_[found.private_[k]] = private_bit(k);
  }

  void run() {
    for (int round = 0; round < kMostRounds; ++round) {
      changed_ = false;
      walk();
      if (!changed_) return;
    }
    all_varies_ = true;
    walk();
  }

 private:
  void walk() {
    result_.effects_.resize(effects_before_, Effect{});
    const bool is_entry = &function_ == result_.module_.entry;
    gone_ = 0;
    met_loop_ = !is_entry;
    block(*function_.body, is_entry ? 0 : kReached);
  }

  // `apart`: why not all invocations that run may be here.
  void block(const Block& b, Sources apart) {
    for (const Instruction* i : b.instructions) instruction(*i, apart | gone_);
  }

  void instruction(const Instruction& i, Sources apart) {
    if (all_varies_) apart = kItself;
    switch (i.op) {
      case Op::Store:
        return mark_memory(i.operands[0], apart | of(i.operands[0]) | of(i.operands[1]));
      case Op::If:
      case Op::Switch:
        return branch(i, apart);
      case Op::Loop:
        return loop(i, apart);
      case Op::Break:
        return mark_apart(*breakable_.back(), apart);
      case Op::Continue:
        return mark_apart(*loops_.back(), apart);
      case Op::BreakIf:
        return mark_apart(*loops_.back(), apart | of(i.operands[0]));
      case Op::Return:
        return leave(apart);
      case Op::Unreachable:
        return;
      case Op::Call:
        return call(i, apart);
      case Op::Var:  // keeps what stores have put there
        return add(result_.varying_values_[&i], i.operands.empty() ? 0 : of(i.operands[0]));
      default:
        return set(i, of_value(i));
    }
  }

  void branch(const Instruction& i, Sources apart) {
    const bool together = result_.has_barrier(i) || result_.narrowing_.contains(&i);
    const Sources chosen = together ? 0 : of(i.operands[0]);
    if (i.op == Op::Switch) breakable_.push_back(&i);
    for_each_block(
        i, [&](const Block* inner) { block(*inner, apart | chosen | (i.op == Op::Switch ? result_.apart(i) : 0)); });
    if (i.op == Op::Switch) breakable_.pop_back();
  }

  void loop(const Instruction& i, Sources apart) {
    met_loop_ = true;
    mark_apart(i, apart);
    loops_.push_back(&i);
    breakable_.push_back(&i);
    for_each_block(i, [&](const Block* inner) { block(*inner, result_.apart(i)); });
    loops_.pop_back();
    breakable_.pop_back();
  }

  void call(const Instruction& i, Sources apart) {
    const Function* callee = i.callee;
    met_loop_ |= result_.with_loop_.contains(callee);
    const bool matters = result_.matters(*callee);
    if (matters && !result_.has_barrier(i)) effect(apart, callee, kReached);
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Value* argument = i.operands[k];
      if (is_pointer(argument)) {
        mark_memory(argument, kItself);
      } else if (matters) {
        effect(all_varies_ ? kItself : of(argument), callee, parameter_bit(k));
      }
    }
    set(i, kItself);
  }

  Sources of_value(const Instruction& i) {
    switch (i.op) {
      case Op::Load: {
        const auto* pointer = sem::as_pointer(i.operands[0]->type);
        const bool constant = pointer->space == AddressSpace::Uniform || pointer->access == sem::AccessMode::Read;
        return constant || is_own_memory(root_of(i.operands[0])) ? of(i.operands[0]) : kItself;
      }
      case Op::Builtin:
        return kItself;
      case Op::Intrinsic:
        if (!differs_by_itself(i.intrinsic)) break;
        for (const Value* operand : i.operands) {
          if (is_pointer(operand)) mark_memory(operand, kItself);
        }
        return kItself;
      default:
        break;
    }
    Sources all = 0;
    for (const Value* operand : i.operands) all |= of(operand);
    return all;
  }

  // An invocation goes where others stay. In the entry point it is gone for good, which does not matter as long as
  // it has not been through a loop; from another function it comes back, but not before the function's end.
  void leave(Sources apart) {
    if (apart == 0) return;
    for (const Instruction* i : loops_) mark_apart(*i, apart);
    for (const Instruction* i : breakable_) mark_apart(*i, apart);
    if (met_loop_) gone_ |= apart;
  }

  void mark_apart(const Instruction& i, Sources why) {
    if (why != 0 && !result_.has_barrier(i)) add(result_.apart_[&i], why);
  }

  Sources of(const Value* v) const { return result_.varying_values_[v]; }

  // Its uses come behind it: they will see what has been found.
  void set(const Instruction& i, Sources why) { result_.varying_values_[&i] = why; }

  void mark_memory(const Value* pointer, Sources why) {
    if (why == 0) return;
    const Value* root = root_of(pointer);
    if (!is_own_memory(root)) return;
    add(result_.varying_values_[root], why);
    if (root->kind != ValueKind::Variable) return;
    const auto index = std::ranges::find(result_.private_, root) - result_.private_.begin();
    effect(why, nullptr, private_bit(static_cast<size_t>(index)));
  }

  void effect(Sources why, const Function* to, Sources makes) {
    if (why != 0 && makes != kItself) result_.effects_.push_back({&function_, why, to, makes});
  }

  void add(Sources& to, Sources more) {
    changed_ |= (to | more) != to;
    to |= more;
  }

  Uniformity& result_;
  const Function& function_;
  const size_t effects_before_;
  std::vector<const Instruction*> loops_, breakable_;  // around the instruction at hand
  Sources gone_ = 0;                                   // why some may have returned from the function, if it matters
  bool met_loop_ = false;
  bool changed_ = false;
  bool all_varies_ = false;
};

Uniformity::Uniformity(const ir::Module& module) : module_(module), varying_values_(module) {
  for (const ir::Variable* v : module.variables) {
    if (v->space == AddressSpace::Private) private_.push_back(v);
  }
}

void Uniformity::look_at(std::span<Function* const> functions) {
  collective_.clear();
  apart_.clear();
  varying_values_.fit();
  for (const Function* f : functions) {
    if (look_inside(*f->body, *f)) with_barrier_.insert(f);
    if (f == module_.entry) find_narrowing(f->body);
    if (matters(*f)) Walk(*this, *f).run();
  }
  if (functions.back() == module_.entry) follow_effects();
}

Uniformity::Sources Uniformity::apart(const Instruction& loop) const {
  const auto found = apart_.find(&loop);
  return found == apart_.end() ? 0 : found->second;
}

bool Uniformity::varies(const Function& function, Sources sources) const {
  const auto found = varying_.find(&function);
  const Sources varying = found == varying_.end() ? 0 : found->second;
  return (sources & (varying | varying_private_ | kItself)) != 0;
}

// Callers come before callees this way, so that all is said in one round but for private variables.
void Uniformity::follow_effects() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto e = effects_.rbegin(); e != effects_.rend(); ++e) {
      if (!varies(*e->from, e->sources)) continue;
      Sources& varying = e->to == nullptr ? varying_private_ : varying_[e->to];
      changed |= (e->makes & ~varying) != 0;
      varying |= e->makes;
    }
  }
}

}  // namespace kem::wgsl::transform
