// Mesa 22.3 looks for the number of iterations of a loop like
//
//   var i = 8u;
//   loop { if done { break; } i -= 1u; if i > 7u { break; } … }
//
// and takes the exit as one of the first iteration: it would have been true one step earlier, when `i` was 8. The loop
// is then thrown away. What a stepped variable is compared with is made unknown to it, as a sum with a zero that the
// push constants hold. Exits that look at the variable before its step, as those of `for` and `while`, are read
// rightly.
#include <unordered_map>
#include <unordered_set>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Block;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;
using sem::AddressSpace;

bool leaves(const Block* block) {
  if (block == nullptr || block->instructions.empty()) return false;
  const Op last = block->instructions.back()->op;
  return last == Op::Break || last == Op::Return;
}

// Whether only the invocation itself can write there: memory that may live in registers.
bool is_own(const Value* pointer) {
  const AddressSpace space = sem::as_pointer(pointer->type)->space;
  return space == AddressSpace::Function || space == AddressSpace::Private;
}

bool is_step(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply || op == BinaryOp::ShiftLeft ||
         op == BinaryOp::ShiftRight;
}

// The comparisons by which a function's loops are left behind a step, each with the operand that is to be hidden.
class Exits {
 public:
  void find(const Block& block) {
    for (const Instruction* i : block.instructions) {
      for_each_block(*i, [this](const Block* inner) { find(*inner); });
      if (i->op != Op::Loop) continue;
      written_.clear();
      calls_ = false;
      iteration(*i->blocks[0]);
    }
  }

  const std::unordered_map<const Value*, size_t>& found() const { return found_; }

 private:
  // In execution order.
  void iteration(const Block& block) {
    for (const Instruction* i : block.instructions) {
      if (i->op == Op::If && (leaves(i->blocks[0]) || leaves(i->blocks[1]))) condition(i->operands[0]);
      if (i->op == Op::Store) written_.insert(i->operands[0]);
      calls_ |= i->op == Op::Call;
      for_each_block(*i, [this](const Block* inner) { iteration(*inner); });
    }
  }

  void condition(const Value* v) {
    if (v->kind != ir::ValueKind::Instruction) return;
    const auto& i = static_cast<const Instruction&>(*v);
    if (i.op != Op::Unary && i.op != Op::Binary) return;
    if (i.op == Op::Binary && i.operands[0]->type->is_integer_scalar()) {
      for (const size_t side : {0, 1}) {
        if (may_be_stepped(i.operands[side])) found_[v] = 1 - side;
      }
      return;
    }
    for (const Value* operand : i.operands) condition(operand);
  }

  bool may_be_stepped(const Value* v) const {
    if (v->kind != ir::ValueKind::Instruction) return false;
    const auto& i = static_cast<const Instruction&>(*v);
    switch (i.op) {
      case Op::Load:
        return is_own(i.operands[0]) && may_be_written(i.operands[0]);
      case Op::Convert:
        return may_be_stepped(i.operands[0]);
      case Op::Binary:
        return is_step(i.binary) && (is_variable(i.operands[0]) || is_variable(i.operands[1]));
      default:
        return false;
    }
  }

  bool may_be_written(const Value* pointer) const {
    const bool whole =
        pointer->kind == ir::ValueKind::Variable ||
        (pointer->kind == ir::ValueKind::Instruction && static_cast<const Instruction*>(pointer)->op == Op::Var);
    return !whole || calls_ || written_.contains(pointer);
  }

  bool is_variable(const Value* v) const {
    if (v->kind != ir::ValueKind::Instruction) return false;
    const auto& i = static_cast<const Instruction&>(*v);
    if (i.op == Op::Load) return is_own(i.operands[0]);
    if (i.op == Op::Convert) return is_variable(i.operands[0]);
    return may_be_stepped(v);
  }

  std::unordered_map<const Value*, size_t> found_;
  std::unordered_set<const Value*> written_;  // in the iteration so far
  bool calls_ = false;                        // likewise
};

}  // namespace

void loop_exits(ir::Module& module, ir::Function& function) {
  Exits exits;
  exits.find(*function.body);
  if (exits.found().empty()) return;
  Rewriter(module, Ops(Op::Binary), [&](Builder& b, Instruction& i) -> Rewritten {
    const auto found = exits.found().find(&i);
    if (found == exits.found().end()) return std::nullopt;
    Value*& hidden = i.operands[found->second];
    Value* zero = b.intrinsic(ir::Intrinsic::DispatchZero, b.types().u32(), {});
    if (hidden->type != zero->type) zero = b.convert(hidden->type, zero);
    hidden = b.binary(BinaryOp::Add, hidden, zero);
    return std::nullopt;
  }).run(function);
}

}  // namespace kem::wgsl::transform
