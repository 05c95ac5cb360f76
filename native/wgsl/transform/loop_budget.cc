// Two counters, both from specialization constant 0. `left` counts every iteration and every call of a function
// that calls others. `uniform_left` counts those of loops and functions that contain a barrier: WGSL's uniformity
// rules make all invocations of a workgroup run these alike, so its value is the same in all of them.
//
// Without a barrier inside, a loop ends when `left` is used up. With one, it ends when `uniform_left` is: all
// invocations leave together, and none waits at a barrier that another has skipped. An invocation whose `left` is
// used up sets the trap word, falls through its loops and runs to its end; what it writes until then stays in
// bounds and is of no use to anyone, as the trap tells.
#include <unordered_set>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Instruction;
using ir::Intrinsic;
using ir::Op;
using ir::Value;
using sem::AccessMode;
using sem::AddressSpace;

class Pass {
 public:
  Pass(ir::Module& module, uint32_t group, uint32_t binding) : module_(module) {
    left_ = variable(AddressSpace::Private, module.types->u32(), "left");
    uniform_left_ = variable(AddressSpace::Private, module.types->u32(), "uniform_left");
    trap_ = variable(AddressSpace::Storage, module.types->atomic(module.types->u32()), "trap");
    trap_->group = group;
    trap_->binding = binding;
  }

  void run() {
    for (Function* f : module_.functions) {
      if (has_barrier(f->body)) with_barrier_.insert(f);
      blocks(f->body);
      if (f != module_.entry && calls(f->body)) count_call(*f);
      return_from_open_ends(*f);
    }
    std::vector<Instruction*> start;
    Builder b(module_, start);
    Value* budget = b.intrinsic(Intrinsic::LoopBudget, module_.types->u32(), {});
    b.store(left_, budget);
    b.store(uniform_left_, budget);
    auto& entry = module_.entry->body->instructions;
    entry.insert(entry.begin(), start.begin(), start.end());
  }

 private:
  ir::Variable* variable(AddressSpace space, const sem::Type* store, std::string_view name) {
    ir::Variable* v = module_.variable(module_.types->pointer(space, store, AccessMode::ReadWrite), name);
    module_.variables.push_back(v);
    return v;
  }

  bool has_barrier(Block* block) const {
    bool found = false;
    for_each(block, [&](const Instruction& i) {
      found |= i.op == Op::Intrinsic &&
               (i.intrinsic == Intrinsic::WorkgroupBarrier || i.intrinsic == Intrinsic::StorageBarrier);
      found |= i.op == Op::Call && with_barrier_.contains(i.callee);
    });
    return found;
  }

  static bool calls(Block* block) {
    bool found = false;
    for_each(block, [&](const Instruction& i) { found |= i.op == Op::Call; });
    return found;
  }

  void blocks(Block* block) {
    for (Instruction* i : block->instructions) {
      for (Block* inner : blocks_of(*i)) blocks(inner);
      if (i->op != Op::Loop) continue;
      count(*i->blocks[0], has_barrier(i->blocks[0]), i->span, [](Builder& b) { b.simple(Op::Break); });
    }
  }

  void count_call(Function& f) {
    count(*f.body, with_barrier_.contains(&f), {}, [&](Builder& b) { return_zero(b, f); });
  }

  void return_zero(Builder& b, const Function& f) const {
    Instruction* i = b.simple(Op::Return);
    if (!f.return_type->is(sem::TypeKind::Void)) i->operands.push_back(ir::constant_zero(module_, f.return_type));
  }

  // At the block's start: takes one off, and does `leave` where nothing is left.
  template <class Leave>
  void count(Block& block, bool uniform, Span span, Leave leave) {
    std::vector<Instruction*> start;
    Builder b(module_, start, span);
    take_one(b, left_, [&](Builder& used_up) {
      used_up.intrinsic(Intrinsic::AtomicStore, module_.types->void_type(), {trap_, used_up.u32(1)});
      if (!uniform) leave(used_up);
    });
    if (uniform) take_one(b, uniform_left_, leave);
    block.instructions.insert(block.instructions.begin(), start.begin(), start.end());
  }

  template <class UsedUp>
  void take_one(Builder& b, ir::Variable* counter, UsedUp used_up) {
    Value* left = b.load(counter);
    Instruction* branch = b.if_(b.binary(BinaryOp::Equal, left, b.u32(0)), true);
    Builder then(module_, branch->blocks[0]->instructions, b.span());
    used_up(then);
    Builder otherwise(module_, branch->blocks[1]->instructions, b.span());
    otherwise.store(counter, otherwise.binary(BinaryOp::Subtract, left, b.u32(1)));
  }

  // Behind a loop that WGSL knows never to end, control does come by now.
  void return_from_open_ends(Function& f) {
    auto& body = f.body->instructions;
    if (!body.empty() && body.back()->op == Op::Unreachable) {
      body.pop_back();
      Builder b(module_, body);
      return_zero(b, f);
    }
  }

  ir::Module& module_;
  ir::Variable *left_, *uniform_left_, *trap_;
  std::unordered_set<const Function*> with_barrier_;
};

}  // namespace

void loop_budget(ir::Module& module, uint32_t group, uint32_t binding) { Pass(module, group, binding).run(); }

}  // namespace kem::wgsl::transform
