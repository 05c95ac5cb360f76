#include "wgsl/ir/ir.h"

#include <utility>

namespace kem::wgsl::ir {
namespace {

template <class T>
T* make(Pool<T>& pool, ValueKind kind, uint32_t id, const Type* type, std::string_view name) {
  T& value = pool.make();
  value.kind = kind;
  value.id = id;
  value.type = type;
  value.name = name;
  return &value;
}

}  // namespace

Constant* Module::constant(const sem::Value* value) {
  Constant* c = make(constants_, ValueKind::Constant, next_id_++, value->type, {});
  c->value = value;
  return c;
}

Parameter* Module::parameter(const Type* type, std::string_view name, uint32_t index) {
  Parameter* p = make(parameters_, ValueKind::Parameter, next_id_++, type, name);
  p->index = index;
  return p;
}

Variable* Module::variable(const sem::MemoryView* pointer_type, std::string_view name) {
  Variable* v = make(variables_, ValueKind::Variable, next_id_++, pointer_type, name);
  v->space = pointer_type->space;
  v->access = pointer_type->access;
  return v;
}

Instruction* Module::instruction(Op op, const Type* type, Operands&& operands, Span span) {
  Instruction* i = make(instructions_, ValueKind::Instruction, next_id_++, type, {});
  i->op = op;
  i->operands = std::move(operands);
  i->span = span;
  return i;
}

Function* Module::function(std::string_view name, const Type* return_type) {
  Function& f = functions_.emplace_back();
  f.name = name;
  f.id = next_id_++;
  f.return_type = return_type;
  f.body = block();
  return &f;
}

void Module::keep() {
  constants_.keep();
  instructions_.keep();
  blocks_.keep();
  kept_ids_ = next_id_;
}

void Module::take_back(size_t instructions) {
  constants_.take_back();
  instructions_.take_back();
  blocks_.take_back();
  next_id_ = kept_ids_;
  ++times_taken_back_;
  taken_back_ = instructions - instructions_.size();
}

Block* Module::block() {
  Block* b = &blocks_.make();
  if (b->instructions.capacity() == 0) b->instructions.reserve(8);  // most have some
  return b;
}

std::string_view Module::intern(std::string text) { return names_.emplace_back(std::move(text)); }

}  // namespace kem::wgsl::ir
