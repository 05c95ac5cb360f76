#include <unordered_set>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Block;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;

constexpr size_t kMaxCopied = 64;  // instructions, over all copies of one continuing block

struct Continues {
  size_t count = 0;
  bool in_switch = false;
};

// Those that belong to the loop with this body.
void find_continues(const Block* block, bool in_switch, Continues& found) {
  for (const Instruction* i : block->instructions) {
    if (i->op == Op::Continue) {
      ++found.count;
      found.in_switch |= in_switch;
    }
    if (i->op == Op::Loop) continue;
    for_each_block(*i, [&](const Block* inner) { find_continues(inner, in_switch || i->op == Op::Switch, found); });
  }
}

class Pass {
 public:
  explicit Pass(ir::Module& module) : module_(module) {}

  // Innermost loops first.
  void block(Block* b) {
    for (size_t k = 0; k < b->instructions.size(); ++k) {
      Instruction* i = b->instructions[k];
      for_each_block(*i, [this](Block* inner) { block(inner); });
      if (i->op != Op::Loop || i->blocks.size() < 2 || i->blocks[1] == nullptr) continue;
      std::vector<Instruction*> before;
      loop(*i, before);
      b->instructions.insert(b->instructions.begin() + static_cast<ptrdiff_t>(k), before.begin(), before.end());
      k += before.size();
    }
  }

 private:
  void loop(Instruction& l, std::vector<Instruction*>& before) {
    Block* body = l.blocks[0];
    Block* continuing = l.blocks[1];
    size_t size = 0;
    for_each(continuing, [&](Instruction&) { ++size; });
    const bool breaks = !continuing->instructions.empty() && continuing->instructions.back()->op == Op::BreakIf;
    if (breaks) break_if_to_if(*continuing);
    Continues continues;
    find_continues(body, false, continues);
    // A Break in a copy would leave the switch around the Continue, not the loop.
    const bool can_copy = size * continues.count <= kMaxCopied && !(breaks && continues.in_switch);
    if (can_copy) {
      if (continues.count != 0) copy_before_continues(body, *continuing);
      if (falls_through(body)) append(*body, *continuing);
    } else {
      to_start(l, before);
    }
    l.blocks[1] = nullptr;
  }

  static void append(Block& to, const Block& from) {
    to.instructions.insert(to.instructions.end(), from.instructions.begin(), from.instructions.end());
  }

  void break_if_to_if(Block& continuing) {
    Instruction* break_if = continuing.instructions.back();
    continuing.instructions.pop_back();
    Builder b(module_, continuing.instructions, break_if->span);
    Instruction* leave = b.if_(break_if->operands[0]);
    Builder(module_, leave->blocks[0]->instructions, break_if->span).simple(Op::Break);
  }

  void copy_before_continues(Block* block, const Block& continuing) {
    for (Instruction* i : block->instructions) {
      if (i->op == Op::Loop) continue;
      for_each_block(*i, [&](Block* inner) { copy_before_continues(inner, continuing); });
      if (i->op != Op::Continue) continue;
      block->instructions.pop_back();  // it is the last
      Cloner(module_).copy_into(*block, continuing);
      block->instructions.push_back(i);
      return;
    }
  }

  // while (true) { if (first) { first = false; } else { continuing } body }
  void to_start(Instruction& l, std::vector<Instruction*>& before) {
    hoist(l, before);
    Builder outer(module_, before, l.span);
    Instruction* first = outer.var(module_.types->bool_type(), ir::constant_bool(module_, true), "first");
    Block* body = module_.block();
    Builder b(module_, body->instructions, l.span);
    Instruction* branch = b.if_(b.load(first), true);
    Builder(module_, branch->blocks[0]->instructions, l.span).store(first, ir::constant_bool(module_, false));
    append(*branch->blocks[1], *l.blocks[1]);
    append(*body, *l.blocks[0]);
    l.blocks[0] = body;
  }

  // Values that the body defines and the continuing block uses move into variables in front of the loop.
  void hoist(Instruction& l, std::vector<Instruction*>& before) {
    std::unordered_set<const Value*> defined(l.blocks[0]->instructions.begin(), l.blocks[0]->instructions.end());
    std::unordered_map<const Value*, Value*> in_continuing;
    std::unordered_map<const Value*, Value*> moved;              // Var instructions: the variable in front of the loop
    std::vector<Instruction*> start;                             // of the continuing block
    std::unordered_map<const Instruction*, Instruction*> saved;  // value -> variable that keeps it
    const std::function<Value*(Value*)> available = [&](Value* v) -> Value* {
      if (!defined.contains(v)) return v;
      if (const auto found = in_continuing.find(v); found != in_continuing.end()) return found->second;
      auto& i = static_cast<Instruction&>(*v);
      Builder outer(module_, before, i.span);
      if (i.op == Op::Var) {
        const sem::Type* store = sem::as_pointer(i.type)->store;
        Instruction* var = outer.var(store, i.operands.empty() ? nullptr : ir::constant_zero(module_, store), i.name);
        moved[v] = var;
        return in_continuing[v] = var;
      }
      if (sem::as_pointer(i.type) != nullptr) {
        ir::Operands operands;
        for (Value* operand : i.operands) operands.push_back(available(operand));
        Instruction* again = module_.instruction(i.op, i.type, std::move(operands), i.span);
        start.push_back(again);
        return in_continuing[v] = again;
      }
      Instruction* var = outer.var(i.type, ir::constant_zero(module_, i.type), i.name);
      saved[&i] = var;
      return in_continuing[v] = Builder(module_, start, i.span).load(var);
    };
    for_each(l.blocks[1], [&](Instruction& i) {
      for (Value*& operand : i.operands) operand = available(operand);
    });
    auto& continuing = l.blocks[1]->instructions;
    continuing.insert(continuing.begin(), start.begin(), start.end());
    keep_values(*l.blocks[0], moved, saved);
  }

  void keep_values(Block& body, const std::unordered_map<const Value*, Value*>& moved,
                   const std::unordered_map<const Instruction*, Instruction*>& saved) {
    const std::vector<Instruction*> instructions = std::exchange(body.instructions, {});
    for (Instruction* i : instructions) {
      Builder b(module_, body.instructions, i->span);
      if (const auto found = moved.find(i); found != moved.end()) {
        if (!i->operands.empty()) b.store(found->second, i->operands[0]);
        continue;
      }
      body.instructions.push_back(i);
      if (const auto found = saved.find(i); found != saved.end()) b.store(found->second, i);
    }
    for_each(&body, [&](Instruction& i) {
      for (Value*& operand : i.operands) {
        if (const auto found = moved.find(operand); found != moved.end()) operand = found->second;
      }
    });
  }

  ir::Module& module_;
};

}  // namespace

void continuing(ir::Module& module, ir::Function& function) { Pass(module).block(function.body); }

}  // namespace kem::wgsl::transform
