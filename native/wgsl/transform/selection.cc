#include <map>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ast::BinaryOp;
using ir::Builder;
using ir::Instruction;
using ir::Value;
using sem::Type;

// The element of a constant array at an index that is in range, as a tree of selections: one level for each bit of
// the index, the lowest first.
class Selection {
 public:
  Selection(Builder& b, Value* index) : b_(b), index_(index) {
    if (!index->type->is(sem::TypeKind::U32)) index_ = b.convert(b.types().u32(), index);
  }

  // `elements` are all of this type.
  Value* select(const Type* type, const std::vector<const sem::Value*>& elements) {
    if (type->is_scalar() || sem::as_vector(type) != nullptr) return tree(type, elements);
    std::vector<Value*> parts;
    for (uint64_t k = 0; k < component_count(type); ++k) {
      std::vector<const sem::Value*> components;
      components.reserve(elements.size());
      for (const sem::Value* element : elements) {
        components.push_back(element->components.empty() ? zero_of(component_type(type, k)) : element->components[k]);
      }
      parts.push_back(select(component_type(type, k), components));
    }
    return b_.construct(type, parts);
  }

 private:
  static uint64_t component_count(const Type* type) {
    if (const auto* matrix = sem::as_matrix(type)) return matrix->columns;
    if (const auto* array = sem::as_array(type)) return array->count;
    return sem::as_struct(type)->members.size();
  }
  static const Type* component_type(const Type* type, uint64_t k) {
    if (const auto* matrix = sem::as_matrix(type)) return matrix->column;
    if (const auto* array = sem::as_array(type)) return array->element;
    return sem::as_struct(type)->members[k].type;
  }
  const sem::Value* zero_of(const Type* type) {
    const sem::Value*& zero = zeros_[type];
    if (zero == nullptr) zero = ir::constant_zero(b_.module(), type)->value;
    return zero;
  }

  Value* tree(const Type* type, const std::vector<const sem::Value*>& elements) {
    std::vector<Value*> level;
    std::map<const sem::Value*, Value*> constants;
    for (const sem::Value* element : elements) {
      Value*& constant = constants[element];
      if (constant == nullptr) constant = b_.module().constant(element);
      level.push_back(constant);
    }
    for (uint32_t bit = 0; level.size() > 1; ++bit) {
      std::vector<Value*> above;
      for (size_t k = 0; k < level.size(); k += 2) {
        const bool alone = k + 1 == level.size() || level[k] == level[k + 1];
        above.push_back(alone ? level[k]
                              : b_.builtin(sem::Builtin::Select, type, {level[k], level[k + 1], is_set(bit)}));
      }
      level = std::move(above);
    }
    return level[0];
  }

  Value* is_set(uint32_t bit) {
    for (auto n = static_cast<uint32_t>(bits_.size()); n <= bit; ++n) {
      bits_.push_back(
          b_.binary(BinaryOp::NotEqual, b_.binary(BinaryOp::And, index_, b_.u32(uint64_t{1} << n)), b_.u32(0)));
    }
    return bits_[bit];
  }

  Builder& b_;
  Value* index_;
  std::vector<Value*> bits_;  // whether the index has the bit
  std::map<const Type*, const sem::Value*> zeros_;
};

class Pass {
 public:
  Rewritten visit(Builder& b, const Instruction& i) {
    if (i.operands[0]->kind != ir::ValueKind::Constant) return std::nullopt;
    const auto* array = sem::as_array(i.operands[0]->type);
    if (array == nullptr || ir::constant_integer(i.operands[1])) return std::nullopt;
    const uint64_t scalars = layouts_.scalar_count(array);
    if (scalars > kMaxSelectedScalars || selected_ > kMaxSelectedTogether - scalars) return std::nullopt;
    const sem::Value& value = *static_cast<const ir::Constant*>(i.operands[0])->value;
    if (value.components.empty()) return rest(b, i, ir::constant_zero(b.module(), array->element));
    const std::vector<const sem::Value*> elements(value.components.begin(), value.components.end());
    selected_ += scalars;
    return rest(b, i, Selection(b, i.operands[1]).select(array->element, elements));
  }

 private:
  static Value* rest(Builder& b, const Instruction& i, Value* element) {
    if (i.operands.size() == 2) return element;
    return b.access(element, std::vector<Value*>(i.operands.begin() + 2, i.operands.end()));
  }

  glsl::Layouts layouts_;
  uint64_t selected_ = 0;  // scalars, over all places
};

}  // namespace

Rewriter selection(ir::Module& module) {
  return Rewriter(module, Ops(ir::Op::Access),
                  [pass = Pass()](Builder& b, Instruction& i) mutable { return pass.visit(b, i); });
}

}  // namespace kem::wgsl::transform
