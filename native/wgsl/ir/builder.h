// Makes instructions and appends them to a list: what transforms and tests write IR with.
#pragma once

#include <vector>

#include "wgsl/ir/intrinsic.h"
#include "wgsl/ir/ir.h"

namespace kem::wgsl::ir {

// Constants, with their sem::Value in the module's type table. `value` must be in the type's range.
Constant* constant_bool(Module& module, bool value);
Constant* constant_i32(Module& module, int64_t value);
Constant* constant_u32(Module& module, uint64_t value);
// A scalar `value` of `type`'s scalar, splatted if `type` is a vector.
Constant* constant_number(Module& module, const Type* type, double value);
Constant* constant_zero(Module& module, const Type* type);

// The integer of an i32 or u32 constant, as the 64-bit number it is; nullopt for anything else.
std::optional<int64_t> constant_integer(const Value* value);

class Builder {
 public:
  Builder(Module& module, std::vector<Instruction*>& out, Span span = {}) : module_(module), out_(out), span_(span) {}

  Module& module() { return module_; }
  sem::TypeTable& types() { return *module_.types; }
  void set_span(Span span) { span_ = span; }
  Span span() const { return span_; }

  Instruction* append(Instruction* i);
  Instruction* emit(Op op, const Type* type, Operands operands);

  Instruction* var(const Type* store, Value* initial, std::string_view name);
  Instruction* load(Value* pointer);
  Instruction* store(Value* pointer, Value* value);
  // A component of a pointer's pointee or of a value, one step for each index.
  Instruction* access(Value* base, Operands indices);
  Instruction* member(Value* base, uint32_t index);
  Instruction* array_length(Value* pointer);
  Instruction* unary(ast::UnaryOp op, Value* x);
  Instruction* binary(ast::BinaryOp op, Value* x, Value* y);  // the result's type from the operator and operands
  Instruction* binary(ast::BinaryOp op, Value* x, Value* y, const Type* type);
  Instruction* convert(const Type* type, Value* x);
  Instruction* construct(const Type* type, Operands components);
  Instruction* swizzle(Value* vector, std::vector<uint8_t> components);
  Instruction* builtin(sem::Builtin b, const Type* type, Operands operands);
  Instruction* intrinsic(Intrinsic i, const Type* type, Operands operands);
  Instruction* call(Function* callee, Operands arguments);
  // Control flow: the blocks are made here, empty, in Instruction::blocks.
  Instruction* if_(Value* condition, bool with_else = false);
  Instruction* loop();
  Instruction* simple(Op op);  // Break, Continue, Unreachable, Return without a value

  Constant* u32(uint64_t value) { return constant_u32(module_, value); }
  Constant* i32(int64_t value) { return constant_i32(module_, value); }

 private:
  Module& module_;
  std::vector<Instruction*>& out_;
  Span span_;
};

}  // namespace kem::wgsl::ir
