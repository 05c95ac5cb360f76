// Which loops the invocations of a workgroup run through together. The question is not the specification's (that is
// sem/uniformity.h, over the syntax tree): here a driver that runs invocations in groups counts a group's iterations,
// and an invocation's own count is the group's only where all of them do the same.
//
// What a loop does may depend on how its function is called, which is known when the entry point is: of each function
// alone it is found out from which sources something varies, and what it gives on to the functions that it calls.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wgsl/ir/ir.h"

namespace kem::wgsl::transform {

class Uniformity {
 public:
  // A set of reasons to vary, of which one is enough: itself; how the function is reached; what its parameters and
  // the module's private variables hold.
  using Sources = uint64_t;
  static constexpr Sources kItself = 1;

  explicit Uniformity(const ir::Module& module);

  // Functions, callees before callers, one or more at a time, the entry point last. What is asked below is of loops in
  // the functions of the last time. Takes time linear in their size, times the depth to which variations spread
  // through variables.
  void look_at(std::span<ir::Function* const> functions);

  // Whether the if, switch, loop or call has a barrier in it: by WGSL's rules all invocations come there together.
  bool has_barrier(const ir::Instruction& i) const { return !collective_.empty() && collective_.contains(&i); }

  // When every invocation that still runs enters `loop` whenever one does, and all leave it after the same number of
  // iterations: where none of these varies. Invocations that were gone before the first loop of the kernel do not
  // count.
  Sources apart(const ir::Instruction& loop) const;

  // Whether any of the sources, in `function`, does vary. When the entry point has been looked at.
  bool varies(const ir::Function& function, Sources sources) const;
  bool together(const ir::Function& function, const ir::Instruction& loop) const {
    return !varies(function, apart(loop));
  }

 private:
  class Walk;
  // `sources` of the function `from` make the sources `makes` of `to` vary, or, if that is null, private variables.
  struct Effect {
    const ir::Function* from;
    Sources sources;
    const ir::Function* to;
    Sources makes;
  };

  bool look_inside(const ir::Block& block, const ir::Function& f);
  bool has_loop(const ir::Instruction& i) const;
  void find_narrowing(const ir::Block* block);
  void follow_effects();
  // Whether anyone asks what varies in it.
  bool matters(const ir::Function& f) const { return !private_.empty() || with_loop_.contains(&f); }

  const ir::Module& module_;
  std::vector<const ir::Variable*> private_;
  std::unordered_set<const ir::Function*> with_barrier_, with_loop_;
  std::vector<Effect> effects_;  // in the order of the functions
  std::unordered_map<const ir::Function*, Sources> varying_;
  Sources varying_private_ = 0;

  // Of the functions at hand.
  std::unordered_set<const ir::Instruction*> collective_;      // with a barrier inside
  std::unordered_map<const ir::Instruction*, Sources> apart_;  // loops and switches
  std::unordered_set<const ir::Instruction*>
      narrowing_;                        // ifs and switches with all of the kernel's loops in one block
  ir::IdTable<Sources> varying_values_;  // of a variable: what it holds
};

}  // namespace kem::wgsl::transform
