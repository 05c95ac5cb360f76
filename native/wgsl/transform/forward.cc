#include <unordered_map>
#include <unordered_set>

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

// A load from memory that nothing in the shader writes can move anywhere.
bool reads_mutable_memory(const Instruction& i) {
  if (i.op != Op::Load) return false;
  const auto* pointer = sem::as_pointer(i.operands[0]->type);
  return pointer->access != sem::AccessMode::Read && pointer->space != sem::AddressSpace::Uniform;
}

class Pass {
 public:
  explicit Pass(ir::Function& f) : function_(f) {}

  void run() {
    count_uses();
    remove_unused(function_.body);
    mark(function_.body);
  }

 private:
  struct Pending {
    uint32_t operations = 1;
    bool reads_memory = false;
  };

  void count_uses() {
    for_each(function_.body, [&](Instruction& i) {
      for (Value* operand : i.operands) ++uses_[operand];
    });
  }

  // Backwards, so that what only a removed value used goes too.
  void remove_unused(Block* block) {
    std::vector<Instruction*> kept;
    for (auto it = block->instructions.rbegin(); it != block->instructions.rend(); ++it) {
      Instruction* i = *it;
      const bool unused_var = i->op == Op::Var && uses_[i] == 0;
      if (unused_var || (is_pure(*i) && uses_[i] == 0)) {
        for (Value* operand : i->operands) --uses_[operand];
        continue;
      }
      std::vector<Block*> inner = blocks_of(*i);
      for (auto b = inner.rbegin(); b != inner.rend(); ++b) remove_unused(*b);
      kept.push_back(i);
    }
    block->instructions.assign(kept.rbegin(), kept.rend());
  }

  void mark(Block* block) {
    std::unordered_map<Value*, Pending> pending;
    std::unordered_map<const Value*, const Instruction*> user;  // in this block itself
    for (Instruction* i : block->instructions) {
      for (Value* operand : i->operands) user[operand] = i;
    }
    for (Instruction* i : block->instructions) {
      Pending whole = take_operands(*i, pending);
      whole.reads_memory |= reads_mutable_memory(*i);
      const bool pointer = sem::as_pointer(i->type) != nullptr;
      if (is_pure(*i)) {
        const bool once = uses_[i] == 1 && user.contains(i);
        i->forwarded = pointer || once;
        if (once) {
          pending[i] = whole;
        } else if (pointer) {
          settle_operands(*i);
        }
        continue;
      }
      // A side effect: what reads memory and is not yet written must be written before it.
      for (auto it = pending.begin(); it != pending.end();) {
        if (!it->second.reads_memory) {
          ++it;
          continue;
        }
        settle(it->first);
        it = pending.erase(it);
      }
      for (Block* inner : blocks_of(*i)) mark(inner);
    }
  }

  // The operands that are written within `i`; those that would make it too long are written before it instead.
  Pending take_operands(const Instruction& i, std::unordered_map<Value*, Pending>& pending) {
    Pending whole;
    for (Value* operand : i.operands) {
      const auto found = pending.find(operand);
      if (found == pending.end()) continue;
      if (whole.operations + found->second.operations > kMaxOperations) {
        settle(operand);
      } else {
        whole.operations += found->second.operations;
        whole.reads_memory |= found->second.reads_memory;
      }
      pending.erase(found);
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

  ir::Function& function_;
  std::unordered_map<const Value*, uint32_t> uses_;
};

}  // namespace

void forward(ir::Module& module) {
  for (ir::Function* f : module.functions) Pass(*f).run();
}

}  // namespace kem::wgsl::transform
