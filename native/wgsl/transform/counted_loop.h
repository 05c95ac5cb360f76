// Loops that count a variable up or down to a limit: for (i = a; i < b; i += c) and its kin. How often they run is
// known before they are entered.
#pragma once

#include <optional>

#include "wgsl/ir/builder.h"

namespace kem::wgsl::transform {

struct CountedLoop {
  ir::Instruction* variable;  // Op::Var of i32 or u32
  ast::BinaryOp compare;      // goes on while `variable compare limit`: Less, LessEqual, Greater or GreaterEqual
  ir::Value* limit;           // computed in the loop or before it, but from nothing that the loop changes
  std::vector<const ir::Instruction*> limit_steps;  // what computes it in the loop, in order
  uint32_t step;                 // at least 1: upwards for Less and LessEqual, downwards for the others
  bool only_exit;                // the loop ends in no other way
  bool can_stop;                 // see stop_after
  std::optional<uint64_t> most;  // constant: it is never run through more often than this
  ir::Instruction* comparison;   // of variable and limit
  size_t limit_operand;          // of the comparison: which one is the limit
};

class CountedLoops {
 public:
  explicit CountedLoops(const ir::Module& module) : marks_(module) {}

  // Nothing if the instruction at `index` of `around` is not one. Before the pass `continuing`.
  std::optional<CountedLoop> find(const ir::Block& around, size_t index);

  struct Mark {
    uint32_t inside = 0, escaped = 0;  // numbers of the last loop that a value is in, or has a pointer go anywhere
  };

 private:
  ir::IdTable<Mark> marks_;
  uint32_t number_ = 0;  // of loops looked at
};

// Writes the u32 number of iterations that `loop` will run, 4294967295 if it is more or has no end. To be written
// right before the loop.
ir::Value* iterations(ir::Builder& b, const CountedLoop& loop);

// Makes a loop that can_stop end after `room` (a u32) iterations, if not before, at no cost within the loop: its limit
// is moved. To be written right before the loop; returns what the variable begins with.
ir::Value* stop_after(ir::Builder& b, const CountedLoop& loop, ir::Value* room);

// Writes the u32 number of iterations that followed another's in a loop made by stop_after: at most the room. To be
// written right behind the loop.
ir::Value* iterations_since(ir::Builder& b, const CountedLoop& loop, ir::Value* begin);

}  // namespace kem::wgsl::transform
