#include "wgsl/ir/builder.h"

#include <utility>

namespace kem::wgsl::ir {
namespace {

sem::Value* make_value(Module& module, const Type* type) {
  auto* value = module.values.make<sem::Value>();
  value->type = type;
  value->integer = 0;
  return value;
}

bool is_comparison(ast::BinaryOp op) { return op >= ast::BinaryOp::Equal; }

}  // namespace

Constant* constant_bool(Module& module, bool value) {
  auto* v = make_value(module, module.types->bool_type());
  v->boolean = value;
  return module.constant(v);
}

Constant* constant_i32(Module& module, int64_t value) {
  auto* v = make_value(module, module.types->i32());
  v->integer = value;
  return module.constant(v);
}

Constant* constant_u32(Module& module, uint64_t value) {
  auto* v = make_value(module, module.types->u32());
  v->integer = static_cast<int64_t>(value);
  return module.constant(v);
}

Constant* constant_number(Module& module, const Type* type, double value) {
  const Type* scalar = sem::scalar_of(type);
  auto* v = make_value(module, scalar);
  if (scalar->is_float_scalar()) {
    v->real = value;
  } else {
    v->integer = static_cast<int64_t>(value);
  }
  if (scalar == type) return module.constant(v);
  auto* composite = make_value(module, type);
  const std::vector<const sem::Value*> components(sem::width_of(type), v);
  composite->components = module.values.copy(components);
  return module.constant(composite);
}

Constant* constant_zero(Module& module, const Type* type) {
  auto* v = make_value(module, type);
  if (type->is_float_scalar()) v->real = 0;
  if (type->is(sem::TypeKind::Bool)) v->boolean = false;
  return module.constant(v);
}

std::optional<int64_t> constant_integer(const Value* value) {
  if (value->kind != ValueKind::Constant || !value->type->is_integer_scalar()) return std::nullopt;
  return static_cast<const Constant*>(value)->value->integer;
}

Instruction* Builder::append(Instruction* i) {
  out_.push_back(i);
  return i;
}

Instruction* Builder::emit(Op op, const Type* type, Operands operands) {
  return append(module_.instruction(op, type, std::move(operands), span_));
}

Instruction* Builder::var(const Type* store, Value* initial, std::string_view name) {
  const Type* pointer = types().pointer(AddressSpace::Function, store, AccessMode::ReadWrite);
  Instruction* i = emit(Op::Var, pointer, {});
  if (initial != nullptr) i->operands.push_back(initial);
  i->name = name;
  return i;
}

Instruction* Builder::load(Value* pointer) { return emit(Op::Load, sem::as_pointer(pointer->type)->store, {pointer}); }

Instruction* Builder::store(Value* pointer, Value* value) {
  return emit(Op::Store, types().void_type(), {pointer, value});
}

Instruction* Builder::access(Value* base, Operands indices) {
  const auto* pointer = sem::as_pointer(base->type);
  const Type* type = pointer != nullptr ? pointer->store : base->type;
  for (const Value* index : indices) {
    if (const auto* array = sem::as_array(type)) {
      type = array->element;
    } else if (const auto* matrix = sem::as_matrix(type)) {
      type = matrix->column;
    } else if (const auto* vector = sem::as_vector(type)) {
      type = vector->element;
    } else {
      type = sem::as_struct(type)->members[static_cast<size_t>(*constant_integer(index))].type;
    }
  }
  if (pointer != nullptr) type = types().pointer(pointer->space, type, pointer->access);
  indices.push_front(base);
  return emit(Op::Access, type, std::move(indices));
}

Instruction* Builder::member(Value* base, uint32_t index) { return access(base, {u32(index)}); }

Instruction* Builder::array_length(Value* pointer) { return emit(Op::ArrayLength, types().u32(), {pointer}); }

Instruction* Builder::unary(ast::UnaryOp op, Value* x) {
  Instruction* i = emit(Op::Unary, x->type, {x});
  i->unary = op;
  return i;
}

Instruction* Builder::binary(ast::BinaryOp op, Value* x, Value* y) {
  const Type* type = sem::as_vector(y->type) != nullptr && sem::as_vector(x->type) == nullptr ? y->type : x->type;
  if (is_comparison(op)) type = types().with_scalar(type, types().bool_type());
  return binary(op, x, y, type);
}

Instruction* Builder::binary(ast::BinaryOp op, Value* x, Value* y, const Type* type) {
  Instruction* i = emit(Op::Binary, type, {x, y});
  i->binary = op;
  return i;
}

Instruction* Builder::convert(const Type* type, Value* x) { return emit(Op::Convert, type, {x}); }

Instruction* Builder::construct(const Type* type, Operands components) {
  return emit(Op::Construct, type, std::move(components));
}

Instruction* Builder::swizzle(Value* vector, std::vector<uint8_t> components) {
  const Type* element = sem::as_vector(vector->type)->element;
  const auto width = static_cast<uint32_t>(components.size());
  Instruction* i = emit(Op::Swizzle, width == 1 ? element : types().vec(element, width), {vector});
  for (size_t k = 0; k < components.size(); ++k) i->swizzle[k] = components[k];
  return i;
}

Instruction* Builder::builtin(sem::Builtin b, const Type* type, Operands operands) {
  Instruction* i = emit(Op::Builtin, type, std::move(operands));
  i->builtin = b;
  return i;
}

Instruction* Builder::intrinsic(Intrinsic id, const Type* type, Operands operands) {
  Instruction* i = emit(Op::Intrinsic, type, std::move(operands));
  i->intrinsic = id;
  return i;
}

Instruction* Builder::call(Function* callee, Operands arguments) {
  Instruction* i = emit(Op::Call, callee->return_type, std::move(arguments));
  i->callee = callee;
  return i;
}

Instruction* Builder::if_(Value* condition, bool with_else) {
  Instruction* i = emit(Op::If, types().void_type(), {condition});
  i->blocks = {module_.block(), with_else ? module_.block() : nullptr};
  return i;
}

Instruction* Builder::loop() {
  Instruction* i = emit(Op::Loop, types().void_type(), {});
  i->blocks = {module_.block(), nullptr};
  return i;
}

Instruction* Builder::simple(Op op) { return emit(op, types().void_type(), {}); }

}  // namespace kem::wgsl::ir
