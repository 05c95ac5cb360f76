// The typed intermediate representation: one entry point and what it reaches, desugared. Structured control flow
// over instruction lists; every instruction's operands are values computed before it, so evaluation order is the
// order of the list. Memory is read by Load and written by Store only; pointers are values (access chains).
// No abstract types, no references, no overrides: all are gone after lowering.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/small_vector.h"
#include "wgsl/sem/builtin.h"
#include "wgsl/sem/type.h"
#include "wgsl/sem/value.h"
#include "wgsl/syntax/ast.h"

namespace kem::wgsl::ir {

using sem::AccessMode;
using sem::AddressSpace;
using sem::Type;

enum class ValueKind : uint8_t { Constant, Parameter, Variable, Instruction };

struct Value {
  ValueKind kind;
  uint32_t id;            // unique in the module
  const Type* type;       // a Pointer for memory; Void for instructions without a result
  std::string_view name;  // the WGSL name where there is one: a hint, not unique
};

using Operands = SmallVector<Value*, 3>;

struct Constant : Value {
  const sem::Value* value;  // concrete type
};

// A function's formal parameter. The entry point's are all scalars or vectors with `builtin` set.
struct Parameter : Value {
  uint32_t index;
  std::optional<sem::BuiltinValue> builtin;
};

// A module-scope variable that is statically used. `type` is the pointer to its store type.
struct Variable : Value {
  AddressSpace space;
  AccessMode access;
  uint32_t group = 0, binding = 0;          // resource variables
  const sem::Value* initializer = nullptr;  // private variables; null: zero value
  bool zeroed_by_entry_point = false;       // private: no initial value, the entry point's first stores are its zeros
  Span span;
};

enum class Op : uint8_t {
  // Memory.
  Var,          // () | (initial) -> ptr<function, T>; without initial: the zero value, each time it is executed
  Load,         // (pointer) -> T
  Store,        // (pointer, value)
  Access,       // (base, index…) -> pointer to the component if base is a pointer, else the component's value.
                // Indices are i32 or u32 values; a structure's member is a u32 Constant
  ArrayLength,  // (pointer to a runtime-sized array) -> u32
  // Values.
  Unary,      // (x): Negate, Not, Complement
  Binary,     // (x, y), with WGSL's meaning until the transforms have run. LogicalAnd and LogicalOr occur only
              // where the right operand has no side effect
  Convert,    // (x) -> component-wise scalar conversion to `type`, WGSL's meaning
  Construct,  // (components…) -> vector, matrix, array or structure; a vector's may be vectors; one scalar for
              // a whole vector is a splat
  Swizzle,    // (vector) -> `swizzle`
  Builtin,    // built-in function `builtin`, WGSL's meaning
  Intrinsic,  // what transforms put in place of the above: `intrinsic`, the target's plain meaning
  Call,       // (arguments…) `callee`
  // Control flow.
  If,          // (condition) blocks[0] then, blocks[1] else (may be null)
  Switch,      // (selector) cases; no fall-through
  Loop,        // blocks[0] body, blocks[1] continuing (may be null)
  BreakIf,     // (condition) last in a continuing block
  Break,       // leaves the innermost Loop or Switch
  Continue,    // to the innermost Loop's continuing block
  Return,      // () | (value)
  Unreachable  // control cannot come here
};

// Operations with the target's plain meaning; rows are added with the transform that makes them (ir/intrinsic.h).
enum class Intrinsic : uint16_t;

struct Function;
struct Instruction;

// Instructions in execution order. If the last one is Break, Continue, Return or Unreachable, the block ends
// there, else control goes on after the instruction that holds the block.
struct Block {
  std::vector<Instruction*> instructions;

  void renew() { instructions.clear(); }  // the memory stays
};

struct SwitchCase {
  std::vector<const sem::Value*> selectors;  // i32 or u32
  bool is_default = false;                   // `default` is among the selectors
  Block* block = nullptr;
};

// The blocks that an If or a Loop holds: none, or two of which the second may be null.
class Blocks {
 public:
  Blocks() = default;
  Blocks(Block* first, Block* second) : blocks_{first, second} {}
  size_t size() const { return blocks_[0] == nullptr ? 0 : 2; }
  bool empty() const { return size() == 0; }
  Block*& operator[](size_t i) { return blocks_[i]; }
  Block* operator[](size_t i) const { return blocks_[i]; }
  Block** begin() { return blocks_.data(); }
  Block** end() { return begin() + size(); }
  Block* const* begin() const { return blocks_.data(); }
  Block* const* end() const { return begin() + size(); }

 private:
  std::array<Block*, 2> blocks_{};
};

// A list that takes one pointer while it is empty, as it is in all instructions but a Switch.
class Cases {
 public:
  size_t size() const { return list_ == nullptr ? 0 : list_->size(); }
  bool empty() const { return size() == 0; }
  SwitchCase& operator[](size_t i) { return (*list_)[i]; }
  const SwitchCase& operator[](size_t i) const { return (*list_)[i]; }
  SwitchCase* begin() { return list_ == nullptr ? nullptr : list_->data(); }
  SwitchCase* end() { return begin() + size(); }
  const SwitchCase* begin() const { return list_ == nullptr ? nullptr : list_->data(); }
  const SwitchCase* end() const { return begin() + size(); }
  void push_back(SwitchCase c) {
    if (list_ == nullptr) list_ = std::make_unique<std::vector<SwitchCase>>();
    list_->push_back(std::move(c));
  }

 private:
  std::unique_ptr<std::vector<SwitchCase>> list_;
};

// Two cache lines: large modules are as slow as their memory.
struct Instruction : Value {
  Operands operands;
  Blocks blocks;
  Cases cases;
  Function* callee = nullptr;
  Span span;  // in the WGSL source
  sem::Builtin builtin{};
  Intrinsic intrinsic{};
  Op op;
  ast::UnaryOp unary{};
  ast::BinaryOp binary{};
  bool forwarded = false;            // set late: the writer prints it at its one use instead of as a local
  std::array<uint8_t, 4> swizzle{};  // component indices; the count is the result's width

  // To be made again. What every instruction is given (kind, id, type, op, operands, span) stays until then.
  void renew() {
    blocks = {};
    cases = {};
    callee = nullptr;
    builtin = {};
    intrinsic = {};
    unary = {};
    binary = {};
    forwarded = false;
    swizzle = {};
  }
};
static_assert(sizeof(Instruction) <= 128);

struct Function {
  std::string_view name;
  uint32_t id;
  std::vector<Parameter*> parameters;
  const Type* return_type;
  Block* body;
};

// Objects that stay where they are made, many to an allocation: more, the more there are. Those made since keep() can
// be taken back, to be made again.
template <class T>
class Pool {
 public:
  T& make() {
    if (place_.used == place_.room) next_chunk();
    T& object = chunks_[place_.chunk - 1].objects[place_.used++];
    if (size() <= ever_) {
      renew(object);
    } else {
      ever_ = size();
    }
    return object;
  }
  size_t size() const { return place_.before + place_.used; }

  void keep() { kept_ = place_; }
  void take_back() { place_ = kept_; }

 private:
  static constexpr size_t kFirst = 16, kMost = 512;
  struct Chunk {
    std::unique_ptr<T[]> objects;
    size_t room;
  };
  struct Place {
    size_t chunk = 0;   // 0: before the first
    size_t before = 0;  // objects in the chunks before
    size_t room = 0;    // of the chunk
    size_t used = 0;    // in the chunk
  };

  void next_chunk() {
    place_.before += place_.room;
    if (place_.chunk == chunks_.size()) {
      const size_t room = std::clamp(place_.before, kFirst, kMost);
      chunks_.push_back({std::make_unique<T[]>(room), room});
    }
    place_.room = chunks_[place_.chunk++].room;
    place_.used = 0;
  }

  static void renew(T& object) {
    if constexpr (requires { object.renew(); }) {
      object.renew();
    } else {
      std::destroy_at(&object);
      std::construct_at(&object);
    }
  }

  std::vector<Chunk> chunks_;
  Place place_, kept_;
  size_t ever_ = 0;  // objects that have been made once
};

// Owns everything in it; pointers stay valid for its life. Types belong to the Program, and so do the sem::Values of
// the source; those made since are the Module's own, so that a Program does not grow with every pipeline.
struct Module {
  std::vector<Variable*> variables;
  std::vector<Function*> functions;  // callees before callers; the last is the entry point
  Function* entry = nullptr;
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  uint32_t subgroup_size = 0;  // @subgroup_size; 0: what the device likes
  bool uses_f16 = false;
  bool uses_subgroups = false;
  bool rows_split_subgroups = false;  // the driver's subgroups do not reach from one row of a workgroup into the next
  Variable* subgroup_counter = nullptr;  // among the variables; the entry point is to number its subgroups with it
  bool orders_storage = false;  // a storageBarrier: what it orders must be seen by the workgroup's other invocations
  // By the operand of LoopWeight, which is the smaller of LoopGroup and this.
  std::vector<uint32_t> loop_weights;
  static constexpr uint32_t kAnyWeight = UINT32_MAX;
  sem::TypeTable* types = nullptr;
  Arena values;

  // The driver is given a workgroup of one row, and local_invocation_id is made of the index. Known when all functions
  // have been lowered.
  bool in_one_row() const {
    return rows_split_subgroups && uses_subgroups && (workgroup_size[1] > 1 || workgroup_size[2] > 1);
  }

  // Factories: the only way to make values, so that ids are unique.
  Constant* constant(const sem::Value* value);
  Parameter* parameter(const Type* type, std::string_view name, uint32_t index);
  Variable* variable(const sem::MemoryView* pointer_type, std::string_view name);
  Instruction* instruction(Op op, const Type* type, Operands&& operands, Span span = {});
  Function* function(std::string_view name, const Type* return_type);
  Block* block();
  std::string_view intern(std::string text);  // for generated names

  // Ever made; take_back() says how many of those that are taken back count.
  size_t instruction_count() const { return taken_back_ + instructions_.size(); }

  // Above every Value::id there is: tables over values are vectors of this size.
  uint32_t id_bound() const { return next_id_; }

  // For functions that are finished one after the other: the constants, instructions, blocks and ids that were made
  // since keep() are made again from take_back() on. instruction_count() is `instructions` then.
  void keep();
  void take_back(size_t instructions);
  // How often, and from where on ids are given again (IdTable).
  uint32_t times_taken_back() const { return times_taken_back_; }
  uint32_t kept_ids() const { return kept_ids_; }

 private:
  uint32_t next_id_ = 0;
  uint32_t kept_ids_ = UINT32_MAX;
  uint32_t times_taken_back_ = 0;
  size_t taken_back_ = 0;
  Pool<Constant> constants_;
  Pool<Parameter> parameters_;
  Pool<Variable> variables_;
  Pool<Instruction> instructions_;
  std::deque<Function> functions_;
  Pool<Block> blocks_;
  std::deque<std::string> names_;
};

// What a pass knows of each value, by its id. It forgets what it knows of values that are taken back.
template <class T>
class IdTable {
 public:
  explicit IdTable(const Module& module) : module_(module) {}

  void forget() {
    if (times_taken_back_ == module_.times_taken_back()) return;
    times_taken_back_ = module_.times_taken_back();
    if (table_.size() > module_.kept_ids()) table_.resize(module_.kept_ids());
  }
  // Room for all values that there are now.
  void fit() {
    forget();
    if (table_.size() < module_.id_bound()) table_.resize(module_.id_bound());
  }
  bool has(const Value* v) const { return v->id < table_.size(); }
  T& operator[](const Value* v) { return table_[v->id]; }
  const T& operator[](const Value* v) const { return table_[v->id]; }

 private:
  const Module& module_;
  std::vector<T> table_;
  uint32_t times_taken_back_ = 0;
};

// Null unless `value` is of that kind.
inline Constant* as_constant(Value* v) { return v->kind == ValueKind::Constant ? static_cast<Constant*>(v) : nullptr; }
inline Instruction* as_instruction(Value* v) {
  return v->kind == ValueKind::Instruction ? static_cast<Instruction*>(v) : nullptr;
}
inline Variable* as_variable(Value* v) { return v->kind == ValueKind::Variable ? static_cast<Variable*>(v) : nullptr; }

// Text form for golden tests: one instruction a line, `%id` values, indented blocks.
std::string print(const Module& module);

// Checks the representation's own rules (operand order and types, block ends, ids): what lowering and every
// transform must leave behind. Returns the first violation, "" if there is none. Debug builds check after each.
std::string verify(const Module& module);
// The same of one function, where the others may have no body.
std::string verify(const Module& module, const Function& function);

}  // namespace kem::wgsl::ir
