// Walks that most passes share: rewriting every instruction in order, cloning, replacing uses.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wgsl/ir/builder.h"

namespace kem::wgsl::transform {

// What becomes of an instruction: nullopt keeps it; a value takes its place in every use; null drops it.
using Rewritten = std::optional<ir::Value*>;
// Sees each instruction in execution order, its operands already rewritten. What it writes to the builder comes
// right before the instruction. The blocks of what it keeps are visited after it, those of what it writes are not.
using Visitor = std::function<Rewritten(ir::Builder&, ir::Instruction&)>;

// The operations that a visitor is to see: the others are kept.
class Ops {
 public:
  template <class... Op>
  constexpr explicit Ops(Op... op) : set_((0u | ... | (1u << static_cast<unsigned>(op)))) {}
  static constexpr Ops all() {
    Ops ops;
    ops.set_ = ~0u;
    return ops;
  }
  bool none() const { return set_ == 0; }
  bool contains(ir::Op op) const { return (set_ >> static_cast<unsigned>(op) & 1u) != 0; }

 private:
  uint32_t set_;
};
static_assert(static_cast<unsigned>(ir::Op::Unreachable) < 32);

// Shows a visitor the instructions of functions, one function after the other.
class Rewriter {
 public:
  Rewriter(ir::Module& module, Ops ops, Visitor visit)
      : module_(module), ops_(ops), visit_(std::move(visit)), replaced_(module) {}

  void run(ir::Function& function) {
    if (ops_.none()) return;
    replaced_.forget();
    any_ = false;
    block(function.body);
  }

 private:
  void block(ir::Block* block);
  void one(ir::Instruction* i, std::vector<ir::Instruction*>& out);
  void take(ir::Instruction* i, const Rewritten& result);
  void finish(ir::Instruction* i, const Rewritten& result, std::vector<ir::Instruction*>& out);
  void replace_operands(ir::Instruction& i) const;
  void replace(const ir::Value* v, ir::Value* by);

  ir::Module& module_;
  Ops ops_;
  Visitor visit_;
  ir::IdTable<ir::Value*> replaced_;      // null: not replaced
  bool any_ = false;                      // replaced in this function: its values are used nowhere else
  std::vector<ir::Instruction*> before_;  // written by the visitor for the instruction at hand
};

void rewrite(ir::Module& module, Ops ops, const Visitor& visit);  // every function

// Calls `visit` for each block directly held by an instruction, null ones left out.
template <class Visit>
void for_each_block(const ir::Instruction& i, Visit visit) {
  for (ir::Block* b : i.blocks) {
    if (b != nullptr) visit(b);
  }
  for (const ir::SwitchCase& c : i.cases) {
    if (c.block != nullptr) visit(c.block);
  }
}

// Calls `visit` for every instruction below `block`, in execution order, outer before inner.
template <class Visit>
void for_each(ir::Block* block, const Visit& visit) {
  for (ir::Instruction* i : block->instructions) {
    visit(*i);
    for_each_block(*i, [&](ir::Block* inner) { for_each(inner, visit); });
  }
}

// Writes `for (index = 0; index < count; index++) body(builder, index)`.
void repeat(ir::Builder& b, uint64_t count, const std::function<void(ir::Builder&, ir::Value*)>& body);

// Whether control can reach the end of `block`: its last instruction does not leave it.
bool falls_through(const ir::Block* block);
bool is_terminator(ir::Op op);

// Copies instructions; operands are mapped through `map` where they are in it.
class Cloner {
 public:
  explicit Cloner(ir::Module& module) : module_(module) {}
  std::unordered_map<const ir::Value*, ir::Value*> map;
  void copy_into(ir::Block& to, const ir::Block& from);
  ir::Block* block(const ir::Block* from);
  ir::Instruction* instruction(const ir::Instruction& from);

 private:
  ir::Module& module_;
};

}  // namespace kem::wgsl::transform
