// The passes that turn WGSL's meaning into operations whose plain GLSL meaning is the same. In this order:
//
//   views           buffers are arrays of words                              (needs: nothing)
//   bounds          every index is in range
//   pointers        no function takes a pointer into module-scope memory     (after bounds: indices are arguments)
//   limits          refuses what would be too large in one piece             (after pointers: sizes are final)
//   unread          changes nothing: tells which buffers are only written    (after pointers)
//   entry_point     built-in values, zeroed workgroup memory                 (before arithmetic: it adds some)
//   selection       no small constant array under a dynamic index (only if Options::slow_array_constants; after bounds)
//   builtins        no Op::Builtin is left                                   (before arithmetic: it adds some)
//   arithmetic      operators and conversions with GLSL's meaning
//   zero_values     every Var has an initial value, or is zeroed by the stores behind it
//   host_layout     whole loads and stores skip padding
//   loop_budget     loops count (only if Options::count_loops)               (before continuing: it reads `for`s)
//   continuing      no Loop has a continuing block
//   loop_exits      no loop is left by what a driver misreads (only if Options::misread_loop_exits; after continuing)
//   forward         unused values are gone, values used once are marked      (last)
//
// Each keeps ir::verify() satisfied. What a pass cannot do is an error in `diagnostics`.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "wgsl/glsl/layout.h"
#include "wgsl/ir/ir.h"
#include "wgsl/transform/rewrite.h"

namespace kem::wgsl::transform {

// Clamps dynamic indices to the last element (spec "Array Access Expression": an index out of range accesses any
// element in bounds). Indices known to be in range stay as they are. The length of a runtime-sized array is
// at least 1 (WebGPU minimum binding size).
void bounds(ir::Module& module);
Rewriter bounds_pass(ir::Module& module);  // the same for functions one by one

// GLSL has no pointers: a callee that takes pointers into module-scope variables is copied for each combination
// of variables and access paths, with the path's indices as extra arguments. Pointers in the function address
// space stay and become `inout` parameters (the alias analysis has refused overlapping arguments).
// Error: more than `kMaxSpecializations` copies.
constexpr size_t kMaxSpecializations = 4096;
constexpr size_t kMaxSpecializedInstructions = 1u << 17;
void pointers(ir::Module& module, Diagnostics& diagnostics);

// The same for functions one by one.
class PointersPass {
 public:
  PointersPass(ir::Module& module, Diagnostics& diagnostics);
  PointersPass(const PointersPass&) = delete;
  PointersPass& operator=(const PointersPass&) = delete;
  ~PointersPass();

  // Callees before callers. Gives them back with the copies that they are the first to call, and all that no function
  // before has called, each before its first caller. The bodies of those that take pointers must last.
  std::vector<ir::Function*> run(std::span<ir::Function* const> functions);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives variables of buffer type an array of words as their type (of rows of four in uniform buffers, whose elements
// may have to be 16 bytes apart), and makes loads and stores through their views loads and stores of those words. A
// function that takes pointers to buffers or into views is copied for each combination of address spaces that it is
// called with: the memory, an offset and a length take the place of such a pointer. `words_in_uniforms`: uniform
// buffers may hold an array of words as well. Error: more than `kMaxSpecializations` copies.
void views(ir::Module& module, bool words_in_uniforms, Diagnostics& diagnostics);

// Drivers inline every call, and glslang copies composite values component by component: a few lines of source can
// ask for more than any memory holds. CPU drivers keep the variables of some invocations together on a thread's stack.
// Error: the entry point with all its calls inlined, its variables, or one value, is larger; or so are all functions
// together, as drivers inline from the callees on and keep what they have: a chain of n calls takes memory by n * n.
// SPIR-V's OpConstantComposite and OpCompositeConstruct take 65,532 components at most.
constexpr uint64_t kMaxInlinedInstructions = 1u << 17;  // a copy of an array or structure counts its scalars
constexpr uint64_t kMaxInlinedTogether = 1u << 19;      // operations of all functions, each with its own calls inlined
constexpr uint64_t kMaxInlinedBytes = 1u << 18;         // of variables in address spaces function and private
constexpr uint64_t kMaxValueScalars = 65'532;
void limits(const ir::Module& module, Diagnostics& diagnostics);

// The same for functions one by one, callees before callers.
class LimitsPass {
 public:
  LimitsPass(const ir::Module& module, Diagnostics& diagnostics);
  void run(const ir::Function& function);

 private:
  struct Inlined {
    uint64_t operations = 0;
    uint64_t bytes = 0;  // of variables
  };

  void add(const ir::Instruction& i, Inlined& sum);
  uint64_t copied_scalars(const ir::Instruction& i);
  bool is_too_large(const Inlined& sum) const;
  const sem::Type* too_large_value(const ir::Instruction& i);
  void report(const ir::Function& f);

  Diagnostics& diagnostics_;
  glsl::Layouts layouts_;
  std::unordered_map<const ir::Function*, Inlined> inlined_;
  uint64_t private_bytes_ = 0;
  uint64_t together_ = 0;  // operations of the functions so far
};

// Finds storage buffers that may be written and are never read: only stores go through pointers to them, no loads and
// no atomic operations. Looks at functions one by one and changes nothing; after pointers. Of a large module it tells
// nothing.
class UnreadPass {
 public:
  explicit UnreadPass(const ir::Module& module);
  void run(const ir::Function& function);
  std::span<const ir::Variable* const> found() const { return unread_; }

 private:
  const ir::Module& module_;
  std::vector<const ir::Variable*> pointed_at_;  // by Value::id of a pointer
  std::vector<const ir::Variable*> unread_;
  size_t looked_through_ = 0;  // instructions
};

// Replaces the entry point's parameters by what the GPU and the push constants tell: a dispatch may be run in
// slices, each with its base. Zeroes workgroup variables, all invocations together, before anything else.
void entry_point(ir::Module& module);

// Constant arrays under a dynamic index become trees of selections, one select for each element but one. Larger
// arrays, and those past the bound of all together, stay.
constexpr uint64_t kMaxSelectedScalars = 8192;
constexpr uint64_t kMaxSelectedTogether = 1u << 15;
Rewriter selection(ir::Module& module);

// Built-in functions to intrinsics and operators.
Rewriter builtins(ir::Module& module);

// Division by zero, shift amounts, float remainder, saturating conversions, component-wise comparisons.
Rewriter arithmetic(ir::Module& module);

// Large variables are zeroed by loops in place of an initial value if `by_loops`; so are private ones, at the entry
// point's start.
Rewriter zero_values(ir::Module& module, glsl::Layouts& layouts, bool by_loops);
// Private variables that are large have no initial value then: told before the writer declares them.
void mark_large_private_variables(ir::Module& module);
void zero_private_variables(ir::Module& module);  // those marked

// Loads and stores of structures whose GLSL form has padding members go member by member, so that padding is
// never written and one plain structure serves everywhere else.
Rewriter host_layout(ir::Module& module, glsl::Layouts& layouts);

// Continuing blocks become code at the end of the body and before each Continue, or, where that would copy too
// much, code at the start of every iteration but the first.
void continuing(ir::Module& module, ir::Function& function);

// Hides what the exits of loops behind the step of their variable compare it with: see the file.
void loop_exits(ir::Module& module, ir::Function& function);

// Counts iterations against specialization constant 0 and ends the loops when they are used up. Adds the trap buffer
// at `group`, `binding`.
class LoopBudget {
 public:
  LoopBudget(ir::Module& module, uint32_t group, uint32_t binding);
  LoopBudget(LoopBudget&&) noexcept;
  LoopBudget& operator=(LoopBudget&&) noexcept;
  ~LoopBudget();

  // Callees before callers, all at once or some at a time; the entry point is among the last. Variables are added to
  // the module when they are needed, Module::loop_weights at the end.
  void run(std::span<ir::Function* const> functions);
  // At the end: false if the kernel has no loops but short ones. Then nothing is changed.
  bool counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Drops values that nothing uses and marks values to be written where they are used (Instruction::forwarded):
// used once, in the same block, with no side effect between that could change them. What is returned is to be called
// with each function, callees before callers.
std::function<void(ir::Function&)> forward(ir::Module& module);

// The passes that look at one function at a time, so that a large module comes into the caches once for several.
class FunctionPasses {
 public:
  FunctionPasses(ir::Module& module, bool zero_by_loops, bool hide_loop_exits);
  FunctionPasses(const FunctionPasses&) = delete;
  FunctionPasses& operator=(const FunctionPasses&) = delete;

  // Callees before callers; as many at a time as stay in the caches.
  void operations(std::span<ir::Function* const> functions);  // builtins, arithmetic, zero_values, host_layout
  void last(std::span<ir::Function* const> functions);        // continuing, loop_exits, forward

 private:
  ir::Module& module_;
  const bool hide_loop_exits_;
  glsl::Layouts layouts_;
  std::array<Rewriter, 4> operations_;
  std::function<void(ir::Function&)> forward_;
};

}  // namespace kem::wgsl::transform
