#include "wgsl/transform/rewrite.h"

#include <span>
#include <utility>

namespace kem::wgsl::transform {

// The list is made anew from the first instruction on that has something written before it, or that goes.
void Rewriter::block(ir::Block* b) {
  std::vector<ir::Instruction*>& list = b->instructions;
  for (size_t at = 0; at < list.size(); ++at) {
    ir::Instruction* i = list[at];
    if (any_) replace_operands(*i);
    if (ops_.contains(i->op)) {
      before_.clear();
      ir::Builder builder(module_, before_, i->span);
      const Rewritten result = visit_(builder, *i);
      if (result || !before_.empty()) {
        take(i, result);
        const SmallVector<ir::Instruction*, 32> rest(std::span<ir::Instruction* const>(list).subspan(at));
        list.resize(at);
        list.reserve(at + rest.size() + before_.size() + 16);
        finish(i, result, list);
        for (size_t k = 1; k < rest.size(); ++k) one(rest[k], list);
        return;
      }
    }
    for_each_block(*i, [this](ir::Block* inner) { block(inner); });
  }
}

// Rewrites `i` and appends what comes of it to `out`.
void Rewriter::one(ir::Instruction* i, std::vector<ir::Instruction*>& out) {
  if (any_) replace_operands(*i);
  if (!ops_.contains(i->op)) {
    out.push_back(i);
    for_each_block(*i, [this](ir::Block* inner) { block(inner); });
    return;
  }
  before_.clear();
  ir::Builder builder(module_, before_, i->span);
  const Rewritten result = visit_(builder, *i);
  take(i, result);
  finish(i, result, out);
}

void Rewriter::take(ir::Instruction* i, const Rewritten& result) {
  if (!result || *result == nullptr) return;
  replace(i, *result);
  if ((*result)->name.empty() && (*result)->kind == ir::ValueKind::Instruction) (*result)->name = i->name;
}

void Rewriter::finish(ir::Instruction* i, const Rewritten& result, std::vector<ir::Instruction*>& out) {
  out.insert(out.end(), before_.begin(), before_.end());
  if (result) return;
  out.push_back(i);
  for_each_block(*i, [this](ir::Block* inner) { block(inner); });
}

void Rewriter::replace_operands(ir::Instruction& i) const {
  for (ir::Value*& operand : i.operands) {
    if (!replaced_.has(operand)) continue;
    if (ir::Value* by = replaced_[operand]; by != nullptr) operand = by;
  }
}

void Rewriter::replace(const ir::Value* v, ir::Value* by) {
  if (!replaced_.has(v)) replaced_.fit();
  replaced_[v] = by;
  any_ = true;
}

void rewrite(ir::Module& module, Ops ops, const Visitor& visit) {
  Rewriter rewriter(module, ops, visit);
  for (ir::Function* f : module.functions) rewriter.run(*f);
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
  if (!from.blocks.empty()) to->blocks = {block(from.blocks[0]), block(from.blocks[1])};
  for (const ir::SwitchCase& c : from.cases) to->cases.push_back({c.selectors, c.is_default, block(c.block)});
  map[&from] = to;
  return to;
}

}  // namespace kem::wgsl::transform
