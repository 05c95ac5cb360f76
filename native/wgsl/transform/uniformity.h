// Which loops the invocations of a workgroup run through together. The question is not the specification's (that is
// sem/uniformity.h, over the syntax tree): here a driver that runs invocations in groups counts a group's iterations,
// and an invocation's own count is the group's only where all of them do the same.
#pragma once

#include <unordered_set>
#include <vector>

#include "wgsl/ir/ir.h"

namespace kem::wgsl::transform {

class Uniformity {
 public:
  // Takes time linear in the module's size, times the depth to which variations spread through variables.
  explicit Uniformity(const ir::Module& module);

  // Whether every invocation that still runs enters `loop` whenever one does, and all leave it after the same number
  // of iterations. Invocations that were gone before the first loop of the kernel do not count.
  bool together(const ir::Instruction& loop) const { return !apart_.contains(&loop); }

  // Whether the if, switch, loop or call has a barrier in it: by WGSL's rules all invocations come there together.
  bool has_barrier(const ir::Instruction& i) const { return collective_.contains(&i); }

 private:
  struct Walk;

  bool look_inside(const ir::Block& block, const ir::Function& f);
  bool has_loop(const ir::Instruction& i) const;
  void find_narrowing(const ir::Block* block);

  const ir::Module& module_;
  std::unordered_set<const ir::Function*> with_barrier_, with_loop_;
  std::unordered_set<const ir::Instruction*> collective_;  // with a barrier inside
  std::unordered_set<const ir::Instruction*> apart_;       // loops and switches
  std::unordered_set<const ir::Instruction*>
      narrowing_;  // ifs and switches with all of the kernel's loops in one block
};

}  // namespace kem::wgsl::transform
