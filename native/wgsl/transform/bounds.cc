#include <algorithm>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;
using sem::Builtin;
using sem::TypeKind;

constexpr uint64_t kMaxU32 = 0xffffffffu;
constexpr int kSearchDepth = 6;

class Bounds {
 public:
  explicit Bounds(ir::Module& module) : module_(module) {}

  Rewritten access(Builder& b, Instruction& i) {
    const auto* pointer = sem::as_pointer(i.operands[0]->type);
    const sem::Type* type = pointer != nullptr ? pointer->store : i.operands[0]->type;
    for (size_t k = 1; k < i.operands.size(); ++k) {
      if (const auto* structure = sem::as_struct(type)) {
        type = structure->members[static_cast<size_t>(*ir::constant_integer(i.operands[k]))].type;
        continue;
      }
      const auto* array = sem::as_array(type);
      if (array != nullptr && array->count_kind == sem::Array::Count::Runtime) {
        i.operands[k] = in_runtime_array(b, i, k);
        type = array->element;
        continue;
      }
      i.operands[k] = in_range(b, i.operands[k], count_of(type));
      type = component_of(type);
    }
    return std::nullopt;
  }

 private:
  static uint64_t count_of(const sem::Type* type) {
    if (const auto* array = sem::as_array(type)) return array->count;
    if (const auto* matrix = sem::as_matrix(type)) return matrix->columns;
    return sem::width_of(type);
  }
  static const sem::Type* component_of(const sem::Type* type) {
    if (const auto* array = sem::as_array(type)) return array->element;
    if (const auto* matrix = sem::as_matrix(type)) return matrix->column;
    return sem::as_vector(type)->element;
  }

  // A negative i32 becomes a huge u32 and so the last element.
  static Value* as_u32(Builder& b, Value* index) {
    if (const auto known = ir::constant_integer(index)) return b.u32(static_cast<uint32_t>(*known));
    return index->type->is(TypeKind::U32) ? index : b.convert(b.types().u32(), index);
  }

  Value* in_range(Builder& b, Value* index, uint64_t count) {
    if (const auto bound = highest(index, kSearchDepth); bound && *bound < count) return index;
    if (ir::constant_integer(index)) return b.u32(count - 1);
    return b.builtin(Builtin::Min, b.types().u32(), {as_u32(b, index), b.u32(count - 1)});
  }

  static Value* in_runtime_array(Builder& b, Instruction& i, size_t k) {
    if (ir::constant_integer(i.operands[k]) == 0) return i.operands[k];
    Value* array = i.operands[0];
    if (k > 1) array = b.access(array, ir::Operands(std::span<Value* const>(i.operands.data() + 1, k - 1)));
    Value* last = b.binary(BinaryOp::Subtract, b.array_length(array), b.u32(1));
    return b.builtin(Builtin::Min, b.types().u32(), {as_u32(b, i.operands[k]), last});
  }

  // The highest value that `v`, an i32 or u32, can have, where it is known never to be negative.
  std::optional<uint64_t> highest(const Value* v, int depth) const {
    if (const auto known = ir::constant_integer(v)) {
      if (*known < 0) return std::nullopt;
      return static_cast<uint64_t>(*known);
    }
    if (v->kind == ir::ValueKind::Parameter) return highest_parameter(static_cast<const ir::Parameter&>(*v), 3);
    if (v->kind != ir::ValueKind::Instruction || depth == 0) return std::nullopt;
    const auto& i = static_cast<const Instruction&>(*v);
    switch (i.op) {
      case Op::Binary:
        return highest_binary(i, depth);
      case Op::Builtin:
        return highest_builtin(i, depth);
      case Op::Convert: {
        if (!i.operands[0]->type->is_integer_scalar()) return std::nullopt;
        const auto bound = highest(i.operands[0], depth - 1);
        return bound && *bound <= 0x7fffffff ? bound : std::nullopt;
      }
      case Op::Access: {
        if (i.operands[0]->kind != ir::ValueKind::Parameter || i.operands.size() != 2) return std::nullopt;
        const auto component = ir::constant_integer(i.operands[1]);
        if (!component) return std::nullopt;
        return highest_parameter(static_cast<const ir::Parameter&>(*i.operands[0]), static_cast<size_t>(*component));
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<uint64_t> highest_parameter(const ir::Parameter& p, size_t component) const {
    const auto& size = module_.workgroup_size;
    if (p.builtin == sem::BuiltinValue::LocalInvocationIndex) return uint64_t{size[0]} * size[1] * size[2] - 1;
    if (p.builtin == sem::BuiltinValue::LocalInvocationId && component < 3) return size[component] - 1;
    return std::nullopt;
  }

  std::optional<uint64_t> highest_binary(const Instruction& i, int depth) const {
    const bool is_unsigned = i.type->is(TypeKind::U32);
    if (!is_unsigned && !i.type->is(TypeKind::I32)) return std::nullopt;
    const auto x = highest(i.operands[0], depth - 1);
    const auto y = highest(i.operands[1], depth - 1);
    const uint64_t limit = is_unsigned ? kMaxU32 : 0x7fffffff;
    switch (i.binary) {
      case BinaryOp::And:
        if (x && y) return std::min(*x, *y);
        return x ? x : y;
      case BinaryOp::Remainder:
        if (is_unsigned && ir::constant_integer(i.operands[1]).value_or(0) > 0) return *y - 1;
        return std::nullopt;
      case BinaryOp::ShiftRight:
        if (const auto by = ir::constant_integer(i.operands[1]); by && (is_unsigned || x)) {
          return x.value_or(kMaxU32) >> (*by & 31);
        }
        return std::nullopt;
      case BinaryOp::Divide:
        if (const auto by = ir::constant_integer(i.operands[1]); by && *by > 0 && (is_unsigned || x)) {
          return x.value_or(kMaxU32) / static_cast<uint64_t>(*by);
        }
        return std::nullopt;
      case BinaryOp::Add:
        return x && y && *x + *y <= limit ? std::optional(*x + *y) : std::nullopt;
      case BinaryOp::Multiply:
        return x && y && *x <= limit && *y <= limit && *x * *y <= limit ? std::optional(*x * *y) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<uint64_t> highest_builtin(const Instruction& i, int depth) const {
    if (!i.type->is(TypeKind::U32)) return std::nullopt;
    const auto bound = [&](size_t k) { return highest(i.operands[k], depth - 1); };
    if (i.builtin == Builtin::Min) {
      const auto x = bound(0), y = bound(1);
      if (x && y) return std::min(*x, *y);
      return x ? x : y;
    }
    if (i.builtin == Builtin::Clamp) return bound(2);
    if (i.builtin == Builtin::Select) {
      const auto x = bound(0), y = bound(1);
      return x && y ? std::optional(std::max(*x, *y)) : std::nullopt;
    }
    return std::nullopt;
  }

  const ir::Module& module_;
};

}  // namespace

Rewriter bounds_pass(ir::Module& module) {
  return Rewriter(module, Ops(Op::Access),
                  [pass = Bounds(module)](Builder& b, Instruction& i) mutable { return pass.access(b, i); });
}

void bounds(ir::Module& module) {
  Rewriter pass = bounds_pass(module);
  for (ir::Function* f : module.functions) pass.run(*f);
}

}  // namespace kem::wgsl::transform
