#include <algorithm>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;

bool is_host_pointer(const Value* pointer) {
  const auto space = sem::as_pointer(pointer->type)->space;
  return space == sem::AddressSpace::Uniform || space == sem::AddressSpace::Storage ||
         space == sem::AddressSpace::Immediate;
}

class Pass {
 public:
  explicit Pass(glsl::Layouts& layouts) : layouts_(layouts) {}

  Rewritten visit(Builder& b, const Instruction& i) {
    if (!is_host_pointer(i.operands[0])) return std::nullopt;
    if (i.op == Op::Load) {
      if (!layouts_.has_padding(i.type)) return std::nullopt;
      return load(b, i.operands[0]);
    }
    if (!layouts_.has_padding(i.operands[1]->type)) return std::nullopt;
    store(b, i.operands[0], i.operands[1]);
    return nullptr;
  }

 private:
  Value* load(Builder& b, Value* pointer) {
    const sem::Type* type = sem::as_pointer(pointer->type)->store;
    if (!layouts_.has_padding(type)) return b.load(pointer);
    if (const auto* array = sem::as_array(type)) {
      Instruction* copy = b.var(type, nullptr, "copy");  // the loop writes all of it
      repeat(b, array->count, [&](Builder& inner, Value* i) {
        Value* element = load(inner, inner.access(pointer, {i}));
        inner.store(inner.access(copy, {i}), element);
      });
      return b.load(copy);
    }
    std::vector<Value*> members;
    for (const auto& m : sem::as_struct(type)->members) members.push_back(load(b, b.member(pointer, m.index)));
    return b.construct(type, std::move(members));
  }

  void store(Builder& b, Value* pointer, Value* value) {
    const sem::Type* type = value->type;
    if (!layouts_.has_padding(type)) {
      b.store(pointer, value);
    } else if (const auto* array = sem::as_array(type)) {
      repeat(b, array->count, [&](Builder& inner, Value* i) {
        Value* place = inner.access(pointer, {i});
        store(inner, place, inner.access(value, {i}));
      });
    } else {
      for (const auto& m : sem::as_struct(type)->members) {
        Value* place = b.member(pointer, m.index);
        store(b, place, b.member(value, m.index));
      }
    }
  }

  glsl::Layouts& layouts_;
};

}  // namespace

Rewriter host_layout(ir::Module& module, glsl::Layouts& layouts) {
  const bool any = std::ranges::any_of(module.variables, [&](const ir::Variable* v) {
    return is_host_pointer(v) && layouts.has_padding(sem::as_pointer(v->type)->store);
  });
  return Rewriter(module, any ? Ops(Op::Load, Op::Store) : Ops(),
                  [pass = Pass(layouts)](Builder& b, Instruction& i) mutable { return pass.visit(b, i); });
}

}  // namespace kem::wgsl::transform
