// What is counted. A driver with a limit counts the iterations of a group of invocations that it runs together: an
// iteration that any of them takes is one of the group's. An invocation sees its own alone, so what it counts must
// never be less than the group's share that it stands for:
//
// - A loop that all run through together (Uniformity) counts 1: it is the same number in all.
// - The others count `weight`. Let them be entered K times in all, by the program's text. The group's iterations of
//   one entry are those of the invocation that stays longest, so all entries together have at most K times those of
//   the invocation with the most: weight K. And no more than the sum over the group's invocations: weight
//   kem_loop_group, its size, which is 1 where the driver has no limit.
// - A loop that is known to be short does not count itself: its longest is added to what counts around it, and a
//   kernel that has nothing else counts nothing. The margin that a budget leaves below the limit is for these.
// - A loop whose number of iterations is known before it begins, and that has no other way out, counts once, there.
// - One that has other ways out, and in which nothing else counts, is made to end where nothing would be left, by
//   moving its limit, and counts behind it what it has run.
//
// What counts takes from `left`, a variable of the invocation that begins with the budget, and leaves its loop where
// nothing is left. From then on all loops are fallen through, and the end of the shader sets the trap word. What is
// written until then stays in bounds and is of no use to anyone, as the trap tells.
//
// The invocations of a workgroup must leave a loop with a barrier together, or some would wait for others. Where only
// loops count that all run through together, `left` is the same in all of them; else such loops leave by a second
// counter, `uniform_left`, from which they alone take.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "wgsl/transform/counted_loop.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"
#include "wgsl/transform/uniformity.h"

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

// Iterations of a loop, with those of the short loops in it, up to which it is short; less where it may be passed by.
constexpr uint64_t kShort = 1024, kShortIfPassed = 32;
// More of the kernel's own short loops, outside all that count, are counted at its start.
constexpr uint64_t kFree = 512;
constexpr uint64_t kMuch = 1u << 24;  // sums end here, so that kManyEntries times as much is still a u32
constexpr uint64_t kManyEntries = 64;

uint64_t plus(uint64_t a, uint64_t b) { return std::min(a + b, kMuch); }
uint64_t times(uint64_t a, uint64_t b) { return std::min(std::min(a, kMuch) * std::min(b, kMuch), kMuch); }

struct LoopPlan {
  enum class Kind { Short, Ahead, Behind, EachTime } kind = Kind::EachTime;
  uint64_t cost = 1;  // of an iteration: itself and the short loops in it
  std::optional<CountedLoop> counted;
  Uniformity::Sources apart = 0;
};

// What each loop counts, before anything is changed. Loops are known while their functions are at hand.
class Plan {
 public:
  explicit Plan(const ir::Module& module) : uniformity(module), module_(module), counted_loops_(module) {}

  void look_at(std::span<Function* const> functions) {
    loops_.clear();
    uniformity.look_at(functions);
    for (const Function* f : functions) {
      const uint64_t before = counting_;
      const uint64_t short_iterations = block(*f->body, false);
      facts_[f] = {short_iterations, counting_ != before};
      if (counting_ != before) entries(*f, f->body, 1);
    }
    if (functions.back() == module_.entry) add_entries();
  }

  const LoopPlan& of(const Instruction& loop) const { return loops_.at(&loop); }
  // Of the short loops outside all that count.
  uint64_t short_iterations(const Function& f) const { return facts_.at(&f).short_iterations; }
  // Loops that count, in it and in what it calls.
  bool counts(const Function& f) const { return facts_.at(&f).counts; }
  // So far.
  bool any_counts() const { return counting_ != 0; }
  bool with_barrier() const { return with_barrier_; }

  // When the entry point has been looked at.
  bool is_whole() const { return whole_; }
  uint64_t apart_entries() const { return apart_entries_; }

  Uniformity uniformity;

 private:
  struct Facts {
    uint64_t short_iterations = 0;
    bool counts = false;
  };
  // For each time that `from` is entered.
  struct Entries {
    const Function* from;
    const Function* callee;  // null: a loop that is not run through together if `apart`
    Uniformity::Sources apart;
    uint64_t often;
  };

  // The iterations of short loops that one run through the block has at most. `passed`: it may be passed by.
  uint64_t block(const Block& b, bool passed) {
    uint64_t sum = 0;
    for (size_t k = 0; k < b.instructions.size(); ++k) {
      const Instruction& i = *b.instructions[k];
      if (i.op == Op::Loop) {
        sum = plus(sum, loop(b, k, passed));
      } else if (i.op == Op::Call) {
        const Facts& callee = facts_.at(i.callee);
        sum = plus(sum, callee.short_iterations);
        counting_ += callee.counts ? 1 : 0;
      } else {
        for_each_block(i, [&](const Block* inner) { sum = plus(sum, block(*inner, true)); });
      }
    }
    return sum;
  }

  // What the loop adds to what is around it: nothing if it counts by itself.
  uint64_t loop(const Block& around, size_t index, bool passed) {
    const Instruction& i = *around.instructions[index];
    LoopPlan plan;
    const uint64_t before = counting_;
    for_each_block(i, [&](const Block* inner) { plan.cost = plus(plan.cost, block(*inner, false)); });
    plan.counted = counted_loops_.find(around, index);
    plan.apart = uniformity.apart(i);
    uint64_t whole = 0;
    if (plan.counted && plan.counted->most) {
      const uint64_t most = times(plan.counted->most.value() + 1, plan.cost);
      if (most <= (passed ? kShortIfPassed : kShort)) {
        plan.kind = LoopPlan::Kind::Short;
        whole = most;
      }
    }
    if (plan.kind != LoopPlan::Kind::Short) {
      const bool alone = counting_ == before && !uniformity.has_barrier(i);
      if (plan.counted && plan.counted->can_stop && alone) plan.kind = LoopPlan::Kind::Behind;
      if (plan.counted && plan.counted->only_exit) plan.kind = LoopPlan::Kind::Ahead;
      ++counting_;
      with_barrier_ |= uniformity.has_barrier(i);
    }
    loops_.emplace(&i, std::move(plan));
    return whole;
  }

  // How often the loops that are not run through together are entered, in a block that is entered `often`.
  void entries(const Function& f, const Block* b, uint64_t often) {
    for (const Instruction* i : b->instructions) {
      uint64_t inner = often;
      if (i->op == Op::Call && counts(*i->callee)) entries_.push_back({&f, i->callee, 0, often});
      if (i->op == Op::Loop) {
        const LoopPlan& plan = loops_.at(i);
        const bool is_short = plan.kind == LoopPlan::Kind::Short;
        if (!is_short && plan.apart != 0) entries_.push_back({&f, nullptr, plan.apart, often});
        inner = times(often, is_short ? plan.counted->most.value() + 1 : kMuch);
      }
      for_each_block(*i, [&](const Block* in) { entries(f, in, inner); });
    }
  }

  // Callers come before callees this way.
  void add_entries() {
    whole_ = true;
    std::unordered_map<const Function*, uint64_t> entered{{module_.entry, 1}};
    for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {
      const uint64_t often = times(entered[e->from], e->often);
      if (e->callee != nullptr) {
        entered[e->callee] = plus(entered[e->callee], often);
      } else if (uniformity.varies(*e->from, e->apart)) {
        apart_entries_ = plus(apart_entries_, often);
      }
    }
  }

  const ir::Module& module_;
  CountedLoops counted_loops_;
  std::unordered_map<const Instruction*, LoopPlan> loops_;
  std::unordered_map<const Function*, Facts> facts_;
  std::vector<Entries> entries_;  // in the order of the functions
  uint64_t apart_entries_ = 0;
  uint64_t counting_ = 0;  // loops that count, and calls of functions with such, up to here
  bool with_barrier_ = false;
  bool whole_ = false;
};

}  // namespace

class LoopBudget::Impl {
 public:
  Impl(ir::Module& module, uint32_t group, uint32_t binding)
      : module_(module),
        plan_(module),
        left_(variable(AddressSpace::Private, module.types->u32(), "left")),
        uniform_left_(variable(AddressSpace::Private, module.types->u32(), "uniform_left")),
        trap_(variable(AddressSpace::Storage, module.types->atomic(module.types->u32()), "trap")) {
    trap_->group = group;
    trap_->binding = binding;
  }

  void run(std::span<Function* const> functions) {
    plan_.look_at(functions);
    const bool last = plan_.is_whole();
    if (last) free_ = plan_.short_iterations(*module_.entry);
    if (!plan_.any_counts() && free_ <= kFree) return;
    if (!std::exchange(counts_, true)) module_.variables.push_back(left_);
    if (plan_.with_barrier() && (!last || plan_.apart_entries() != 0)) use_uniform_left();
    for (Function* f : functions) {
      function_ = f;
      if (plan_.counts(*f)) loops(*f->body);
      return_from_open_ends(*f);
    }
    if (!last) return;
    module_.variables.push_back(trap_);
    trap_at_the_end();
    begin();
    tell_weights();
  }

  bool counts() const { return counts_; }

 private:
  // One that the module has when it is needed.
  ir::Variable* variable(AddressSpace space, const sem::Type* store, std::string_view name) {
    return module_.variable(module_.types->pointer(space, store, AccessMode::ReadWrite), name);
  }

  void use_uniform_left() {
    if (!std::exchange(with_uniform_left_, true)) module_.variables.push_back(uniform_left_);
  }

  void loops(Block& block) {
    const bool any = std::ranges::any_of(block.instructions, [](const Instruction* i) { return i->op == Op::Loop; });
    if (!any) {
      for (Instruction* i : block.instructions) {
        for_each_block(*i, [&](Block* inner) { loops(*inner); });
      }
      return;
    }
    std::vector<Instruction*> before = std::exchange(block.instructions, {});
    block.instructions.reserve(before.size() + 32);
    for (Instruction* i : before) {
      for_each_block(*i, [&](Block* inner) { loops(*inner); });
      if (i->op != Op::Loop) {
        block.instructions.push_back(i);
        continue;
      }
      const LoopPlan& plan = plan_.of(*i);
      switch (plan.kind) {
        case LoopPlan::Kind::Ahead:
          count_ahead(block, i, plan);
          break;
        case LoopPlan::Kind::Behind:
          count_behind(block, i, plan);
          break;
        case LoopPlan::Kind::EachTime:
          count_each_time(*i, plan);
          [[fallthrough]];
        case LoopPlan::Kind::Short:
          block.instructions.push_back(i);
      }
    }
  }

  // Takes for all iterations, and for the look at the condition that ends them; then `if (left != 0) { loop }`.
  void count_ahead(Block& block, Instruction* loop, const LoopPlan& plan) {
    Builder b(module_, block.instructions, loop->span);
    Value* cost = weighted(b, plan);
    Value* most = b.binary(BinaryOp::Divide, b.u32(UINT32_MAX), cost);
    Value* count = b.intrinsic(Intrinsic::Min, b.types().u32(), {iterations(b, *plan.counted), b.u32(UINT32_MAX - 1)});
    count = b.binary(BinaryOp::Add, count, b.u32(1));
    Value* all = b.binary(BinaryOp::Multiply, b.intrinsic(Intrinsic::Min, b.types().u32(), {count, most}), cost);
    ir::Variable* counter = take(b, all, has_barrier(*loop));
    Instruction* enter = b.if_(b.binary(BinaryOp::NotEqual, b.load(counter), b.u32(0)));
    enter->blocks[0]->instructions.push_back(loop);
  }

  // The loop ends after as many iterations as there is something left for; what it has run, and the look at the
  // condition that ended it, are taken behind it. Nothing is left then if that is why it ended.
  void count_behind(Block& block, Instruction* loop, const LoopPlan& plan) {
    Builder b(module_, block.instructions, loop->span);
    Value* cost = weighted(b, plan);
    const bool one = ir::constant_integer(cost) == 1;
    Value* left = b.load(left_);
    Value* begin = stop_after(b, *plan.counted, one ? left : b.binary(BinaryOp::Divide, left, cost));
    b.append(loop);
    Value* run = iterations_since(b, *plan.counted, begin);
    take_from(b, left_, one ? run : b.binary(BinaryOp::Multiply, run, cost));
    take_from(b, left_, cost);
  }

  void count_each_time(Instruction& loop, const LoopPlan& plan) {
    std::vector<Instruction*> start;
    Builder b(module_, start, loop.span);
    Value* cost = weighted(b, plan);
    ir::Variable* counter = left_;
    if (with_uniform_left_ && has_barrier(loop)) {
      take_from(b, left_, cost);
      counter = uniform_left_;
    }
    Value* left = b.load(counter);
    Instruction* leave = b.if_(b.binary(BinaryOp::LessEqual, left, cost));
    Builder leaving(module_, leave->blocks[0]->instructions, loop.span);
    leaving.store(counter, leaving.u32(0));
    leaving.simple(Op::Break);
    b.store(counter, b.binary(BinaryOp::Subtract, left, cost));
    auto& body = loop.blocks[0]->instructions;
    body.insert(body.begin(), start.begin(), start.end());
  }

  bool has_barrier(const Instruction& loop) const { return plan_.uniformity.has_barrier(loop); }

  // What one iteration counts.
  Value* weighted(Builder& b, const LoopPlan& plan) {
    Value* cost = b.u32(plan.cost);
    if (plan.apart == 0) return cost;
    Value* weight = nullptr;
    if (!plan_.is_whole()) {
      weight = b.intrinsic(Intrinsic::LoopWeight, b.types().u32(), {b.u32(weight_number(plan.apart))});
    } else if (const uint32_t most = weight_of(*function_, plan.apart); most == 1) {
      return cost;
    } else {
      weight = b.intrinsic(Intrinsic::LoopGroup, b.types().u32(), {});
      if (most != ir::Module::kAnyWeight) {
        weight = b.intrinsic(Intrinsic::Min, b.types().u32(), {weight, b.u32(most)});
      }
    }
    return plan.cost == 1 ? weight : b.binary(BinaryOp::Multiply, weight, cost);
  }

  // As Module::loop_weights.
  uint32_t weight_of(const Function& f, Uniformity::Sources apart) const {
    if (!plan_.uniformity.varies(f, apart)) return 1;
    const uint64_t entries = plan_.apart_entries();
    return entries < kManyEntries ? static_cast<uint32_t>(entries) : ir::Module::kAnyWeight;
  }

  // Of a loop whose weight is known at the end.
  uint32_t weight_number(Uniformity::Sources apart) {
    const bool always = (apart & Uniformity::kItself) != 0;
    const std::pair key(always ? module_.entry : function_, always ? Uniformity::kItself : apart);
    const auto [place, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(later_.size()));
    if (is_new) later_.push_back(place->first);
    return place->second;
  }

  void tell_weights() {
    for (const auto& [f, apart] : later_) module_.loop_weights.push_back(weight_of(*f, apart));
  }

  // Takes `amount` off the counters; the one to look at afterwards.
  ir::Variable* take(Builder& b, Value* amount, bool barrier) const {
    take_from(b, left_, amount);
    if (!with_uniform_left_ || !barrier) return left_;
    take_from(b, uniform_left_, amount);
    return uniform_left_;
  }

  static void take_from(Builder& b, ir::Variable* counter, Value* amount) {
    Value* left = b.load(counter);
    b.store(counter, b.binary(BinaryOp::Subtract, left, b.intrinsic(Intrinsic::Min, left->type, {left, amount})));
  }

  void begin() {
    std::vector<Instruction*> start;
    Builder b(module_, start);
    Value* budget = b.intrinsic(Intrinsic::LoopBudget, module_.types->u32(), {});
    if (free_ > kFree) {
      Value* own = b.intrinsic(Intrinsic::Min, budget->type, {budget, b.u32(free_)});
      budget = b.binary(BinaryOp::Subtract, budget, own);
    }
    b.store(left_, budget);
    if (with_uniform_left_) b.store(uniform_left_, budget);
    auto& entry = module_.entry->body->instructions;
    entry.insert(entry.begin(), start.begin(), start.end());
  }

  void return_zero(Builder& b, const Function& f) const {
    Instruction* i = b.simple(Op::Return);
    if (!f.return_type->is(sem::TypeKind::Void)) i->operands.push_back(ir::constant_zero(module_, f.return_type));
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

  void trap_at_the_end() {
    trap_before_returns(*module_.entry->body);
    if (falls_through(module_.entry->body)) trap(module_.entry->body->instructions);
  }

  void trap_before_returns(Block& block) {
    for (Instruction* i : block.instructions) {
      for_each_block(*i, [&](Block* inner) { trap_before_returns(*inner); });
    }
    if (block.instructions.empty() || block.instructions.back()->op != Op::Return) return;
    Instruction* last = block.instructions.back();
    block.instructions.pop_back();
    trap(block.instructions);
    block.instructions.push_back(last);
  }

  void trap(std::vector<Instruction*>& out) {
    Builder b(module_, out);
    Value* left = b.load(left_);
    if (with_uniform_left_) left = b.intrinsic(Intrinsic::Min, left->type, {left, b.load(uniform_left_)});
    Instruction* used_up = b.if_(b.binary(BinaryOp::Equal, left, b.u32(0)));
    Builder inner(module_, used_up->blocks[0]->instructions);
    inner.intrinsic(Intrinsic::AtomicStore, module_.types->void_type(), {trap_, inner.u32(1)});
  }

  ir::Module& module_;
  Plan plan_;
  uint64_t free_ = 0;
  bool counts_ = false, with_uniform_left_ = false;
  ir::Variable *left_, *uniform_left_, *trap_;
  const Function* function_ = nullptr;  // at hand
  std::map<std::pair<const Function*, Uniformity::Sources>, uint32_t> numbers_;
  std::vector<std::pair<const Function*, Uniformity::Sources>> later_;  // by their number
};

LoopBudget::LoopBudget(ir::Module& module, uint32_t group, uint32_t binding)
    : impl_(std::make_unique<Impl>(module, group, binding)) {}
LoopBudget::LoopBudget(LoopBudget&&) noexcept = default;
LoopBudget& LoopBudget::operator=(LoopBudget&&) noexcept = default;
LoopBudget::~LoopBudget() = default;

void LoopBudget::run(std::span<Function* const> functions) { impl_->run(functions); }
bool LoopBudget::counts() const { return impl_->counts(); }

}  // namespace kem::wgsl::transform
