#include <algorithm>
#include <vector>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Block;
using ir::Instruction;
using ir::IntrinsicEffect;
using ir::Op;
using ir::Value;

// An expression written in one piece has at most so many operations: glslang parses recursively.
constexpr uint32_t kMaxOperations = 32;

bool is_pure(const Instruction& i) {
  switch (i.op) {
    case Op::Load:
    case Op::Access:
    case Op::ArrayLength:
    case Op::Unary:
    case Op::Binary:
    case Op::Convert:
    case Op::Construct:
    case Op::Swizzle:
      return true;
    case Op::Intrinsic:
      return ir::row(i.intrinsic).effect == IntrinsicEffect::Pure;
    default:
      return false;
  }
}

// What the text's preprocessor will make a constant of: it has a place wherever it is used.
bool is_literal(const Instruction& i) {
  return i.op == Op::Intrinsic && ir::row(i.intrinsic).form == ir::IntrinsicForm::Numbered;
}

bool is_own_variable(const Value* pointer) {
  while (pointer->kind == ir::ValueKind::Instruction) {
    const auto& i = static_cast<const Instruction&>(*pointer);
    if (i.op == Op::Var) return true;
    if (i.operands.empty()) return false;
    pointer = i.operands[0];
  }
  return false;
}

// A load from memory that nothing in the shader writes can move anywhere.
bool reads_mutable_memory(const Instruction& i) {
  if (i.op != Op::Load) return false;
  const auto* pointer = sem::as_pointer(i.operands[0]->type);
  return pointer->access != sem::AccessMode::Read && pointer->space != sem::AddressSpace::Uniform;
}

class Pass {
 public:
  explicit Pass(ir::Module& module) : module_(module), states_(module) {}

  // Callees before callers.
  void function(ir::Function& f) {
    states_.fit();
    only_reads_.resize(module_.id_bound());
    count_uses(f.body);
    remove_unused(f.body);
    mark(f.body);
    only_reads_[f.id] = leaves_no_trace(f.body);
  }

 private:
  struct State {
    uint32_t uses = 0;
    const Block* user = nullptr;  // the block of the last use
    // Of a value that waits to be written at its one use: the operations of its expression, 0 for all others.
    uint32_t operations = 0;
    bool reads_memory = false;
  };
  State& state(const Value* v) { return states_[v]; }

  // Whether running the block changes nothing but variables of the function that it is in.
  bool leaves_no_trace(const Block* block) const {
    return std::ranges::all_of(block->instructions, [this](const Instruction* i) {
      bool traceless = true;
      if (i->op == Op::Store) traceless = is_own_variable(i->operands[0]);
      if (i->op == Op::Call) traceless = only_reads_[i->callee->id];
      if (i->op == Op::Intrinsic) traceless = is_pure(*i);
      for_each_block(*i, [&](const Block* inner) { traceless = traceless && leaves_no_trace(inner); });
      return traceless;
    });
  }

  bool is_movable(const Instruction& i) const {
    return is_pure(i) || (i.op == Op::Call && only_reads_[i.callee->id] && !i.type->is(sem::TypeKind::Void) &&
                          std::none_of(i.operands.begin(), i.operands.end(),
                                       [](const Value* v) { return sem::as_pointer(v->type) != nullptr; }));
  }

  void count_uses(Block* block) {
    for (const Instruction* i : block->instructions) {
      for (const Value* operand : i->operands) {
        ++state(operand).uses;
        state(operand).user = block;
      }
      for_each_block(*i, [this](Block* inner) { count_uses(inner); });
    }
  }

  // Backwards, so that what only a removed value used goes too.
  void remove_unused(Block* block) {
    std::vector<Instruction*>& all = block->instructions;
    auto kept = all.end();
    for (auto it = all.end(); it != all.begin();) {
      Instruction* i = *--it;
      if ((i->op == Op::Var || is_pure(*i)) && state(i).uses == 0) {
        for (Value* operand : i->operands) --state(operand).uses;
        continue;
      }
      if (!i->blocks.empty() || !i->cases.empty()) {
        for (auto c = i->cases.end(); c != i->cases.begin();) {
          if ((--c)->block != nullptr) remove_unused(c->block);
        }
        for (auto b = i->blocks.end(); b != i->blocks.begin();) {
          if (*--b != nullptr) remove_unused(*b);
        }
      }
      *--kept = i;
    }
    all.erase(all.begin(), kept);
  }

  void mark(Block* block) {
    for (Instruction* i : block->instructions) {
      State whole = take_operands(*i);
      whole.reads_memory |= i->op == Op::Call || reads_mutable_memory(*i);
      if (is_movable(*i)) {
        const bool pointer = sem::as_pointer(i->type) != nullptr;
        const bool once = state(i).uses == 1 && state(i).user == block;
        i->forwarded = pointer || once || is_literal(*i);
        if (once) {
          wait(i, whole);
        } else if (pointer) {
          settle_operands(*i);
        }
        continue;
      }
      settle_readers();
      for_each_block(*i, [this](Block* inner) { mark(inner); });
    }
    readers_.clear();
  }

  void wait(Value* v, const State& whole) {
    state(v).operations = whole.operations;
    state(v).reads_memory = whole.reads_memory;
    if (whole.reads_memory) readers_.push_back(v);
  }

  // Before a side effect: what reads memory and is not yet written must be written before it.
  void settle_readers() {
    for (Value* v : readers_) {
      if (state(v).operations == 0) continue;  // written meanwhile
      settle(v);
      state(v).operations = 0;
    }
    readers_.clear();
  }

  // The operands that are written within `i`; those that would make it too long are written before it instead.
  State take_operands(const Instruction& i) {
    State whole;
    whole.operations = 1;
    for (Value* operand : i.operands) {
      State& one = state(operand);
      if (one.operations == 0) continue;
      if (whole.operations + one.operations > kMaxOperations) {
        settle(operand);
      } else {
        whole.operations += one.operations;
        whole.reads_memory |= one.reads_memory;
      }
      one.operations = 0;
    }
    return whole;
  }

  // `v` is written as a local variable where it stands. A pointer has no form as a local: its indices get one.
  void settle(Value* v) {
    auto& i = static_cast<Instruction&>(*v);
    if (sem::as_pointer(i.type) == nullptr) {
      i.forwarded = false;
    } else {
      settle_operands(i);
    }
  }

  void settle_operands(const Instruction& pointer) {
    for (Value* operand : pointer.operands) {
      if (Instruction* i = ir::as_instruction(operand); i != nullptr && i->forwarded) settle(i);
    }
  }

  const ir::Module& module_;
  ir::IdTable<State> states_;
  std::vector<bool> only_reads_;  // by Function::id
  std::vector<Value*> readers_;   // of mutable memory that wait, in the block at hand
};

}  // namespace

std::function<void(ir::Function&)> forward(ir::Module& module) {
  return [pass = Pass(module)](ir::Function& f) mutable { pass.function(f); };
}

}  // namespace kem::wgsl::transform
