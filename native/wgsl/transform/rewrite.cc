#include "wgsl/transform/rewrite.h"

#include <utility>

namespace kem::wgsl::transform {
namespace {

class Rewriting {
 public:
  Rewriting(ir::Module& module, const Visitor& visit) : module_(module), visit_(visit) {}

  void block(ir::Block* b) {
    const std::vector<ir::Instruction*> before = std::exchange(b->instructions, {});
    b->instructions.reserve(before.size());
    for (ir::Instruction* i : before) {
      for (ir::Value*& operand : i->operands) {
        if (ir::Value* other = replacement(operand)) operand = other;
      }
      ir::Builder builder(module_, b->instructions, i->span);
      const Rewritten result = visit_(builder, *i);
      if (result) {
        if (*result == nullptr) continue;
        replace(i, *result);
        if ((*result)->name.empty() && (*result)->kind == ir::ValueKind::Instruction) (*result)->name = i->name;
        continue;
      }
      b->instructions.push_back(i);
      for_each_block(*i, [this](ir::Block* inner) { block(inner); });
    }
  }

 private:
  ir::Value* replacement(const ir::Value* v) const { return v->id < replaced_.size() ? replaced_[v->id] : nullptr; }

  void replace(const ir::Value* v, ir::Value* by) {
    if (v->id >= replaced_.size()) replaced_.resize(module_.id_bound());
    replaced_[v->id] = by;
  }

  ir::Module& module_;
  const Visitor& visit_;
  std::vector<ir::Value*> replaced_;  // by Value::id; null: not replaced
};

}  // namespace

void rewrite(ir::Module& module, ir::Function& function, const Visitor& visit) {
  Rewriting(module, visit).block(function.body);
}

void rewrite(ir::Module& module, const Visitor& visit) {
  Rewriting rewriting(module, visit);
  for (ir::Function* f : module.functions) rewriting.block(f->body);
}

void repeat(ir::Builder& b, uint64_t count, const std::function<void(ir::Builder&, ir::Value*)>& body) {
  ir::Instruction* index = b.var(b.types().u32(), b.u32(0), "index");
  ir::Instruction* loop = b.loop();
  ir::Builder inner(b.module(), loop->blocks[0]->instructions, b.span());
  ir::Value* i = inner.load(index);
  ir::Instruction* done = inner.if_(inner.binary(ast::BinaryOp::GreaterEqual, i, inner.u32(count)));
  ir::Builder(b.module(), done->blocks[0]->instructions, b.span()).simple(ir::Op::Break);
  body(inner, i);
  inner.store(index, inner.binary(ast::BinaryOp::Add, i, inner.u32(1)));
}

std::vector<ir::Block*> blocks_of(const ir::Instruction& i) {
  std::vector<ir::Block*> blocks;
  for_each_block(i, [&](ir::Block* b) { blocks.push_back(b); });
  return blocks;
}

bool is_terminator(ir::Op op) {
  return op == ir::Op::Break || op == ir::Op::Continue || op == ir::Op::Return || op == ir::Op::Unreachable;
}

bool falls_through(const ir::Block* block) {
  return block->instructions.empty() || !is_terminator(block->instructions.back()->op);
}

void Cloner::copy_into(ir::Block& to, const ir::Block& from) {
  for (const ir::Instruction* i : from.instructions) to.instructions.push_back(instruction(*i));
}

ir::Block* Cloner::block(const ir::Block* from) {
  if (from == nullptr) return nullptr;
  ir::Block* to = module_.block();
  copy_into(*to, *from);
  return to;
}

ir::Instruction* Cloner::instruction(const ir::Instruction& from) {
  ir::Operands operands = from.operands;
  for (ir::Value*& operand : operands) {
    if (const auto found = map.find(operand); found != map.end()) operand = found->second;
  }
  ir::Instruction* to = module_.instruction(from.op, from.type, std::move(operands), from.span);
  to->name = from.name;
  to->unary = from.unary;
  to->binary = from.binary;
  to->builtin = from.builtin;
  to->intrinsic = from.intrinsic;
  to->callee = from.callee;
  to->swizzle = from.swizzle;
  for (const ir::Block* b : from.blocks) to->blocks.push_back(block(b));
  for (const ir::SwitchCase& c : from.cases) to->cases.push_back({c.selectors, c.is_default, block(c.block)});
  map[&from] = to;
  return to;
}

}  // namespace kem::wgsl::transform
