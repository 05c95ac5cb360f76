#include <algorithm>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

namespace {

bool is_composite(const sem::Type* type) {
  return type->is(sem::TypeKind::Array) || type->is(sem::TypeKind::Struct) || type->is(sem::TypeKind::Matrix);
}

bool has_parts(const sem::Type* type) { return type->is(sem::TypeKind::Array) || type->is(sem::TypeKind::Struct); }

// Whether its operands are copied: glslang looks at each member of a structure that is assigned, passes what a function
// gets part by part if the types differ, as they do between buffers and variables, and drivers copy every scalar.
bool copies_operands(ir::Op op) { return op == ir::Op::Store || op == ir::Op::Call || op == ir::Op::Var; }

}  // namespace

LimitsPass::LimitsPass(const ir::Module& module, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  for (const ir::Variable* v : module.variables) {
    if (v->space == sem::AddressSpace::Private) private_bytes_ += sem::size_of(sem::as_pointer(v->type)->store);
  }
}

// First only whether anything is wrong: where it is takes longer to tell.
void LimitsPass::run(const ir::Function& f) {
  Inlined sum;
  bool fits = true;
  for_each(f.body, [&](const ir::Instruction& i) {
    add(i, sum);
    fits = fits && too_large_value(i) == nullptr;
  });
  inlined_[&f] = sum;
  together_ += sum.operations;
  if (!fits || is_too_large(sum)) {
    report(f);
  } else if (together_ > kMaxInlinedTogether) {
    const auto& instructions = f.body->instructions;
    diagnostics_.error(instructions.empty() ? Span() : instructions.front()->span,
                       "with the calls of each inlined, the functions up to '" + std::string(f.name) +
                           "' have together more than " + std::to_string(kMaxInlinedTogether) + " operations");
  }
}

void LimitsPass::add(const ir::Instruction& i, Inlined& sum) {
  ++sum.operations;
  sum.operations += copied_scalars(i);
  if (i.op == ir::Op::Var) sum.bytes += sem::size_of(sem::as_pointer(i.type)->store);
  if (i.op == ir::Op::Call) {
    const Inlined& callee = inlined_.at(i.callee);
    sum.operations += callee.operations;
    sum.bytes += callee.bytes;
  }
}

// Of arrays and structures that it makes, loads or copies.
uint64_t LimitsPass::copied_scalars(const ir::Instruction& i) {
  const auto scalars = [&](const sem::Type* type) { return has_parts(type) ? layouts_.scalar_count(type) : 0; };
  const auto* variable = i.op == ir::Op::Var ? sem::as_pointer(i.type) : nullptr;
  uint64_t sum = scalars(variable != nullptr ? variable->store : i.type);
  if (!copies_operands(i.op)) return sum;
  for (const ir::Value* operand : i.operands) sum += scalars(operand->type);
  return sum;
}

bool LimitsPass::is_too_large(const Inlined& sum) const {
  return private_bytes_ + sum.bytes > kMaxInlinedBytes || sum.operations > kMaxInlinedInstructions;
}

// The type of a value in it that has too many components; null if there is none.
const sem::Type* LimitsPass::too_large_value(const ir::Instruction& i) {
  const auto is_large = [&](const sem::Type* type) {
    return is_composite(type) && layouts_.scalar_count(type) > kMaxValueScalars;
  };
  if (is_large(i.type)) return i.type;
  for (const ir::Value* operand : i.operands) {
    if (operand->kind == ir::ValueKind::Constant && is_large(operand->type)) return operand->type;
  }
  return nullptr;
}

void LimitsPass::report(const ir::Function& f) {
  Inlined sum;
  for_each(f.body, [&](const ir::Instruction& i) {
    if (diagnostics_.has_errors()) return;
    add(i, sum);
    const std::string function = "with its calls inlined, function '" + std::string(f.name) + "' has more than ";
    if (private_bytes_ + sum.bytes > kMaxInlinedBytes) {
      diagnostics_.error(i.span, function + std::to_string(kMaxInlinedBytes) + " bytes of variables");
    } else if (sum.operations > kMaxInlinedInstructions) {
      diagnostics_.error(i.span, function + std::to_string(kMaxInlinedInstructions) + " operations");
    } else if (const sem::Type* type = too_large_value(i)) {
      diagnostics_.error(i.span, "a value of type '" + sem::spelling(type) + "' has more than " +
                                     std::to_string(kMaxValueScalars) + " components");
    }
  });
}

void limits(const ir::Module& module, Diagnostics& diagnostics) {
  LimitsPass pass(module, diagnostics);
  for (const ir::Function* f : module.functions) {
    pass.run(*f);
    if (diagnostics.has_errors()) return;
  }
}

}  // namespace kem::wgsl::transform
