// Walks that most passes share: rewriting every instruction in order, cloning, replacing uses.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "wgsl/ir/builder.h"

namespace kem::wgsl::transform {

// What becomes of an instruction: nullopt keeps it; a value takes its place in every use; null drops it.
using Rewritten = std::optional<ir::Value*>;
// Sees each instruction in execution order, its operands already rewritten. What it writes to the builder comes
// right before the instruction. The blocks of what it keeps are visited after it, those of what it writes are not.
using Visitor = std::function<Rewritten(ir::Builder&, ir::Instruction&)>;

void rewrite(ir::Module& module, ir::Function& function, const Visitor& visit);
void rewrite(ir::Module& module, const Visitor& visit);  // every function

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
std::vector<ir::Block*> blocks_of(const ir::Instruction& i);  // the same as a list

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
