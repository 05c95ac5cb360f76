#include "wgsl/transform/counted_loop.h"

#include <algorithm>
#include <limits>

#include "wgsl/transform/rewrite.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::AddressSpace;
using ir::Block;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;

// A limit that takes more steps to compute is left alone.
constexpr size_t kMostSteps = 16;

struct Range {
  int64_t low, high;
};
Range range_of(const sem::Type* type) {
  if (type->is(sem::TypeKind::U32)) return {0, std::numeric_limits<uint32_t>::max()};
  return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
}

bool is_upwards(BinaryOp compare) { return compare == BinaryOp::Less || compare == BinaryOp::LessEqual; }

std::optional<BinaryOp> opposite(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::GreaterEqual;
    case BinaryOp::LessEqual:
      return BinaryOp::Greater;
    case BinaryOp::Greater:
      return BinaryOp::LessEqual;
    case BinaryOp::GreaterEqual:
      return BinaryOp::Less;
    default:
      return std::nullopt;
  }
}

// With left and right exchanged.
BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::Greater;
    case BinaryOp::LessEqual:
      return BinaryOp::GreaterEqual;
    case BinaryOp::Greater:
      return BinaryOp::Less;
    default:
      return BinaryOp::LessEqual;
  }
}

// What a loop does, from one walk over it.
class Contents {
 public:
  using Mark = CountedLoops::Mark;

  // `number`: of the loop, among all that have been looked at.
  Contents(const Instruction& loop, ir::IdTable<Mark>& marks, uint32_t number) : marks_(marks), number_(number) {
    for_each_block(loop, [&](Block* b) { walk(*b, Around{}); });
  }

  bool contains(const Value* v) const { return marks_[v].inside == number_; }
  bool has_continue() const { return continues_; }
  // Breaks out of the loop, break_if and returns.
  size_t exits() const { return exits_; }
  bool has_return() const { return returns_; }

  // The only write to `variable` in the loop; null if there are none, several, or any through a pointer.
  const Instruction* only_store(const Value* variable) const {
    const Instruction* found = nullptr;
    for (const Instruction* store : stores_) {
      if (store->operands[0] != variable) continue;
      if (found != nullptr) return nullptr;
      found = store;
    }
    return escapes(variable) ? nullptr : found;
  }
  bool writes(const Value* variable) const {
    if (escapes(variable)) return true;
    for (const Instruction* store : stores_) {
      if (store->operands[0] == variable) return true;
    }
    return false;
  }

 private:
  struct Around {
    bool loop = false, breakable = false;  // another one, within this
  };

  bool escapes(const Value* variable) const { return marks_[variable].escaped == number_; }

  void walk(const Block& block, Around around) {
    for (const Instruction* i : block.instructions) {
      marks_[i].inside = number_;
      note(*i, around);
      Around inner = around;
      inner.loop |= i->op == Op::Loop;
      inner.breakable |= i->op == Op::Loop || i->op == Op::Switch;
      for_each_block(*i, [&](Block* b) { walk(*b, inner); });
    }
  }

  void note(const Instruction& i, Around around) {
    continues_ |= i.op == Op::Continue && !around.loop;
    returns_ |= i.op == Op::Return;
    exits_ += i.op == Op::Return || (i.op == Op::Break && !around.breakable) || (i.op == Op::BreakIf && !around.loop);
    if (i.op == Op::Store) stores_.push_back(&i);
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const bool plain = k == 0 && (i.op == Op::Load || i.op == Op::Store);
      if (!plain && sem::as_pointer(i.operands[k]->type) != nullptr) marks_[i.operands[k]].escaped = number_;
    }
  }

  ir::IdTable<Mark>& marks_;
  const uint32_t number_;
  std::vector<const Instruction*> stores_;
  bool continues_ = false, returns_ = false;
  size_t exits_ = 0;
};

class Recognizer {
 public:
  Recognizer(const Block& around, size_t index, ir::IdTable<CountedLoops::Mark>& marks, uint32_t number)
      : around_(around), index_(index), loop_(*around.instructions[index]), contents_(loop_, marks, number) {}

  std::optional<CountedLoop> run() {
    const Instruction* check = find_check();
    if (check == nullptr || !read_condition(check->operands[0], true)) return std::nullopt;
    const Instruction* store = contents_.only_store(found_.variable);
    if (store == nullptr || !is_every_time(store, check) || !read_step(*store)) return std::nullopt;
    found_.only_exit = contents_.exits() == 1 && only_condition_;
    found_.most = most();
    const bool exclusive = found_.compare == BinaryOp::Less || found_.compare == BinaryOp::Greater;
    found_.can_stop = exclusive && (found_.step == 1 || found_.most) && !contents_.has_return();
    return found_;
  }

 private:
  // The `if (…) { break; }` that the body begins with, but for what computes its condition.
  const Instruction* find_check() const {
    for (const Instruction* i : loop_.blocks[0]->instructions) {
      if (i->op == Op::If) {
        const auto& then = i->blocks[0]->instructions;
        const bool plain = i->blocks.size() < 2 || i->blocks[1] == nullptr || i->blocks[1]->instructions.empty();
        return plain && then.size() == 1 && then[0]->op == Op::Break ? i : nullptr;
      }
      if (!is_computation(*i) && i->op != Op::Load) return nullptr;
    }
    return nullptr;
  }

  static bool is_computation(const Instruction& i) {
    switch (i.op) {
      case Op::Access:
      case Op::ArrayLength:
      case Op::Unary:
      case Op::Binary:
      case Op::Convert:
      case Op::Construct:
      case Op::Swizzle:
        return true;
      case Op::Intrinsic:
        return ir::row(i.intrinsic).effect == ir::IntrinsicEffect::Pure;
      default:
        return false;
    }
  }

  // `leaves`: the loop ends where the condition holds, else where it doesn't. One of several that end it is enough.
  bool read_condition(Value* condition, bool leaves) {
    Instruction* i = ir::as_instruction(condition);
    if (i == nullptr) return false;
    if (i->op == Op::Unary && i->unary == ast::UnaryOp::Not) return read_condition(i->operands[0], !leaves);
    if (i->op != Op::Binary) return false;
    if (i->binary == (leaves ? BinaryOp::LogicalOr : BinaryOp::LogicalAnd)) {
      only_condition_ = false;
      return read_condition(i->operands[0], leaves) || read_condition(i->operands[1], leaves);
    }
    const auto other = opposite(i->binary);
    if (!other || !i->operands[0]->type->is_integer_scalar()) return false;
    const BinaryOp goes_on = leaves ? *other : i->binary;
    for (const size_t limit : {1, 0}) {
      found_.comparison = i;
      found_.limit_operand = limit;
      if (read_comparison(limit == 1 ? goes_on : mirrored(goes_on), i->operands[1 - limit], i->operands[limit])) {
        return true;
      }
    }
    return false;
  }

  bool read_comparison(BinaryOp compare, Value* counted, Value* limit) {
    Instruction* load = ir::as_instruction(counted);
    if (load == nullptr || load->op != Op::Load || !contents_.contains(load)) return false;
    Instruction* variable = ir::as_instruction(load->operands[0]);
    if (variable == nullptr || variable->op != Op::Var || contents_.contains(variable)) return false;
    found_.limit_steps.clear();
    if (!is_invariant(limit)) return false;
    found_.variable = variable;
    found_.compare = compare;
    found_.limit = limit;
    return true;
  }

  // Whether `v` has the same value in every iteration, and can be computed before the loop.
  bool is_invariant(const Value* v) {
    if (!contents_.contains(v)) return true;
    auto& steps = found_.limit_steps;
    const auto& i = static_cast<const Instruction&>(*v);
    if (steps.size() == kMostSteps) return false;
    if (i.op == Op::Load ? !is_constant_memory(i.operands[0]) : !is_computation(i)) return false;
    for (const Value* operand : i.operands) {
      if (!is_invariant(operand)) return false;
    }
    steps.push_back(&i);
    return true;
  }

  bool is_constant_memory(const Value* pointer) const {
    const auto* type = sem::as_pointer(pointer->type);
    if (type->space == AddressSpace::Uniform || type->access == sem::AccessMode::Read) return true;
    const auto* i = pointer->kind == ir::ValueKind::Instruction ? static_cast<const Instruction*>(pointer) : nullptr;
    return i != nullptr && i->op == Op::Var && !contents_.writes(i);
  }

  // Whether each iteration that is followed by another comes to `store`, after the check.
  bool is_every_time(const Instruction* store, const Instruction* check) const {
    const auto is_in = [&](const Block* b) {
      return b != nullptr && std::ranges::find(b->instructions, store) != b->instructions.end();
    };
    if (loop_.blocks.size() > 1 && is_in(loop_.blocks[1])) return true;
    const auto& body = loop_.blocks[0]->instructions;
    return !contents_.has_continue() && is_in(loop_.blocks[0]) &&
           std::ranges::find(body, store) > std::ranges::find(body, check);
  }

  // variable = variable + step, or - step.
  bool read_step(const Instruction& store) {
    const Instruction* sum = ir::as_instruction(store.operands[1]);
    if (sum == nullptr || sum->op != Op::Binary) return false;
    const bool adds = sum->binary == BinaryOp::Add;
    if (!adds && sum->binary != BinaryOp::Subtract) return false;
    std::optional<int64_t> step = ir::constant_integer(sum->operands[1]);
    const Value* before = sum->operands[0];
    if (!step && adds) {
      step = ir::constant_integer(sum->operands[0]);
      before = sum->operands[1];
    }
    if (!step || !is_load_of_variable(before)) return false;
    const int64_t upwards = adds ? *step : -*step;
    const int64_t wanted = is_upwards(found_.compare) ? upwards : -upwards;
    if (wanted < 1 || wanted > std::numeric_limits<int32_t>::max()) return false;
    found_.step = static_cast<uint32_t>(wanted);
    return true;
  }

  bool is_load_of_variable(const Value* v) const {
    if (v->kind != ir::ValueKind::Instruction) return false;
    const auto& i = static_cast<const Instruction&>(*v);
    return i.op == Op::Load && i.operands[0] == found_.variable && contents_.contains(&i);
  }

  // The constant that the variable has where the loop begins, if it is easy to see.
  std::optional<int64_t> start() const {
    for (size_t k = index_; k-- > 0;) {
      const Instruction& i = *around_.instructions[k];
      if (&i == found_.variable) return i.operands.empty() ? 0 : ir::constant_integer(i.operands[0]);
      if (i.op == Op::Store && i.operands[0] == found_.variable) return ir::constant_integer(i.operands[1]);
      if (i.op == Op::Call || !i.blocks.empty() || !i.cases.empty()) return std::nullopt;
    }
    return std::nullopt;
  }

  // From the limit and what the variable begins with, or the farthest value from the limit that it can.
  std::optional<uint64_t> most() const {
    const auto limit = ir::constant_integer(found_.limit);
    if (!limit) return std::nullopt;
    const Range range = range_of(found_.limit->type);
    const bool upwards = is_upwards(found_.compare);
    const bool inclusive = found_.compare == BinaryOp::LessEqual || found_.compare == BinaryOp::GreaterEqual;
    // The first value that ends the loop must not be out of range.
    const int64_t past = *limit + (upwards ? 1 : -1) * (static_cast<int64_t>(found_.step) - (inclusive ? 0 : 1));
    if (past < range.low || past > range.high) return std::nullopt;
    const int64_t begin = start().value_or(upwards ? range.low : range.high);
    const int64_t way = (upwards ? *limit - begin : begin - *limit) + (inclusive ? 1 : 0);
    return way <= 0 ? 0 : (static_cast<uint64_t>(way) - 1) / found_.step + 1;
  }

  const Block& around_;
  const size_t index_;
  const Instruction& loop_;
  const Contents contents_;
  CountedLoop found_{};
  bool only_condition_ = true;
};

Value* as_u32(Builder& b, Value* v) { return v->type == b.types().u32() ? v : b.convert(b.types().u32(), v); }

Value* choose(Builder& b, Value* condition, Value* yes, Value* no) {
  return b.intrinsic(ir::Intrinsic::Ternary, yes->type, {condition, yes, no});
}

// How far it is from one value of the loop's variable to a later one.
Value* distance(Builder& b, const CountedLoop& loop, Value* from, Value* to) {
  if (!is_upwards(loop.compare)) std::swap(from, to);
  return b.binary(BinaryOp::Subtract, as_u32(b, to), as_u32(b, from));
}

// Written right before a loop: where its variable begins, and how far it is to the limit.
struct Way {
  Value *limit, *begin, *length, *runs;  // runs: whether the loop runs at all; if not, the length is of no use

  Way(Builder& b, const CountedLoop& loop) {
    Cloner cloner(b.module());
    for (const Instruction* step : loop.limit_steps) b.append(cloner.instruction(*step));
    const auto hoisted = cloner.map.find(loop.limit);
    limit = hoisted == cloner.map.end() ? loop.limit : hoisted->second;
    begin = b.load(loop.variable);
    length = distance(b, loop, begin, limit);
    runs = b.binary(loop.compare, begin, limit);
  }
};

}  // namespace

std::optional<CountedLoop> CountedLoops::find(const Block& around, size_t index) {
  if (around.instructions[index]->op != Op::Loop) return std::nullopt;
  marks_.fit();
  return Recognizer(around, index, marks_, ++number_).run();
}

Value* iterations(Builder& b, const CountedLoop& loop) {
  const Way way(b, loop);
  // The way is at least 1 where the loop runs at all; exclusive limits are not reached.
  const bool inclusive = loop.compare == BinaryOp::LessEqual || loop.compare == BinaryOp::GreaterEqual;
  Value* full = inclusive ? way.length : b.binary(BinaryOp::Subtract, way.length, b.u32(1));
  Value* count = loop.step == 1 ? full : b.binary(BinaryOp::Divide, full, b.u32(loop.step));
  count = choose(b, way.runs, b.binary(BinaryOp::Add, count, b.u32(1)), b.u32(0));

  // So near the end of the range that the variable wraps around instead of passing the limit: no end.
  const int64_t reach = static_cast<int64_t>(loop.step) - (inclusive ? 0 : 1);
  if (reach == 0) return count;
  const Range range = range_of(way.limit->type);
  const bool upwards = is_upwards(loop.compare);
  const int64_t last = upwards ? range.high - reach : range.low + reach;
  Value* last_value = way.limit->type == b.types().u32() ? b.u32(static_cast<uint64_t>(last)) : b.i32(last);
  Value* wraps = b.binary(upwards ? BinaryOp::Greater : BinaryOp::Less, way.limit, last_value);
  return choose(b, b.binary(BinaryOp::LogicalAnd, way.runs, wraps), b.u32(std::numeric_limits<uint32_t>::max()), count);
}

Value* stop_after(Builder& b, const CountedLoop& loop, Value* room) {
  const Way way(b, loop);
  Value* reach = nullptr;
  if (loop.step == 1) {
    reach = b.intrinsic(ir::Intrinsic::Min, b.types().u32(), {way.length, room});
  } else {
    Value* step = b.u32(loop.step);
    Value* needed = b.binary(BinaryOp::Divide, b.binary(BinaryOp::Subtract, way.length, b.u32(1)), step);
    reach = choose(b, b.binary(BinaryOp::Greater, room, needed), way.length, b.binary(BinaryOp::Multiply, room, step));
  }
  Value* stop = b.binary(is_upwards(loop.compare) ? BinaryOp::Add : BinaryOp::Subtract, as_u32(b, way.begin), reach);
  if (way.limit->type != stop->type) stop = b.convert(way.limit->type, stop);
  loop.comparison->operands[loop.limit_operand] = choose(b, way.runs, stop, way.limit);
  return way.begin;
}

Value* iterations_since(Builder& b, const CountedLoop& loop, Value* begin) {
  Value* length = distance(b, loop, begin, b.load(loop.variable));
  return loop.step == 1 ? length : b.binary(BinaryOp::Divide, length, b.u32(loop.step));
}

}  // namespace kem::wgsl::transform
