#include <algorithm>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Op;
using ir::Value;

constexpr uint64_t kLarge = 32;             // scalars; larger values are zeroed by loops, if any are
constexpr uint64_t kScalarsInOnePass = 16;  // of such a loop: its iterations may be counted

class Pass {
 public:
  Pass(ir::Module& module, glsl::Layouts& layouts, bool by_loops)
      : module_(module), layouts_(layouts), by_loops_(by_loops) {}

  Rewritten visit(Builder& b, Instruction& i) {
    if (i.op == Op::Var) return i.operands.empty() ? variable(b, i) : std::nullopt;
    if (!is_large_zero(i.operands[1])) return std::nullopt;
    zero(b, i.operands[0]);
    return nullptr;
  }

  void mark_private_variables() {
    for (ir::Variable* v : module_.variables) {
      const bool has_none = v->space == sem::AddressSpace::Private && v->initializer == nullptr;
      v->zeroed_by_entry_point = has_none && is_large(sem::as_pointer(v->type)->store);
    }
  }

  void private_variables() {
    std::vector<Instruction*> start;
    Builder b(module_, start);
    for (ir::Variable* v : module_.variables) {
      if (v->zeroed_by_entry_point) zero(b, v);
    }
    auto& body = module_.entry->body->instructions;
    body.insert(body.begin(), start.begin(), start.end());
  }

 private:
  bool is_large(const sem::Type* type) { return by_loops_ && layouts_.scalar_count(type) > kLarge; }

  bool is_large_zero(const Value* v) {
    if (v->kind != ir::ValueKind::Constant || !is_large(v->type)) return false;
    return static_cast<const ir::Constant*>(v)->value->components.empty();
  }

  Rewritten variable(Builder& b, Instruction& i) {
    const sem::Type* store = sem::as_pointer(i.type)->store;
    if (!is_large(store)) {
      i.operands.push_back(ir::constant_zero(module_, store));
      return std::nullopt;
    }
    Instruction* plain = b.var(store, nullptr, i.name);
    zero(b, plain);
    return plain;
  }

  void zero(Builder& b, Value* place) {
    const sem::Type* store = sem::as_pointer(place->type)->store;
    const auto* array = sem::as_array(store);
    const auto* structure = sem::as_struct(store);
    if (layouts_.scalar_count(store) <= kScalarsInOnePass || (array == nullptr && structure == nullptr)) {
      b.store(place, ir::constant_zero(module_, store));
    } else if (structure != nullptr) {
      for (const auto& member : structure->members) zero(b, b.member(place, member.index));
    } else {
      zero_array(b, place, *array);
    }
  }

  void zero_array(Builder& b, Value* place, const sem::Array& array) {
    const uint64_t together =
        std::max<uint64_t>(1, kScalarsInOnePass / std::max<uint64_t>(1, layouts_.scalar_count(array.element)));
    repeat(b, array.count / together, [&](Builder& inner, Value* pass) {
      Value* first = together == 1 ? pass : inner.binary(BinaryOp::Multiply, pass, inner.u32(together));
      for (uint64_t k = 0; k < together; ++k) {
        zero(inner, inner.access(place, {k == 0 ? first : inner.binary(BinaryOp::Add, first, inner.u32(k))}));
      }
    });
    for (uint64_t k = array.count / together * together; k < array.count; ++k) zero(b, b.access(place, {b.u32(k)}));
  }

  ir::Module& module_;
  glsl::Layouts& layouts_;
  const bool by_loops_;
};

}  // namespace

Rewriter zero_values(ir::Module& module, glsl::Layouts& layouts, bool by_loops) {
  return Rewriter(
      module, Ops(Op::Var, Op::Store),
      [pass = Pass(module, layouts, by_loops)](Builder& b, Instruction& i) mutable { return pass.visit(b, i); });
}

void mark_large_private_variables(ir::Module& module) {
  glsl::Layouts layouts;
  Pass(module, layouts, true).mark_private_variables();
}

void zero_private_variables(ir::Module& module) {
  glsl::Layouts layouts;
  Pass(module, layouts, true).private_variables();
}

}  // namespace kem::wgsl::transform
