#include <algorithm>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

namespace {

bool is_composite(const sem::Type* type) {
  return type->is(sem::TypeKind::Array) || type->is(sem::TypeKind::Struct) || type->is(sem::TypeKind::Matrix);
}

}  // namespace

LimitsPass::LimitsPass(const ir::Module& module, Diagnostics& diagnostics) : diagnostics_(diagnostics) {
  for (const ir::Variable* v : module.variables) {
    if (v->space == sem::AddressSpace::Private) private_bytes_ += sem::size_of(sem::as_pointer(v->type)->store);
  }
}

void LimitsPass::run(const ir::Function& f) {
  Inlined sum;
  for_each(f.body, [&](const ir::Instruction& i) {
    if (diagnostics_.has_errors()) return;
    ++sum.operations;
    if (i.op == ir::Op::Var) sum.bytes += sem::size_of(sem::as_pointer(i.type)->store);
    if (i.op == ir::Op::Call) {
      const Inlined& callee = inlined_[i.callee];
      sum.operations += callee.operations;
      sum.bytes += callee.bytes;
    }
    if (private_bytes_ + sum.bytes > kMaxInlinedBytes) {
      diagnostics_.error(i.span, "with its calls inlined, function '" + std::string(f.name) + "' has more than " +
                                     std::to_string(kMaxInlinedBytes) + " bytes of variables");
    } else if (sum.operations > kMaxInlinedInstructions) {
      diagnostics_.error(i.span, "with its calls inlined, function '" + std::string(f.name) + "' has more than " +
                                     std::to_string(kMaxInlinedInstructions) + " operations");
      return;
    }
    if (is_composite(i.type)) check(i.type, i.span);
    for (const ir::Value* operand : i.operands) {
      if (operand->kind == ir::ValueKind::Constant && is_composite(operand->type)) check(operand->type, i.span);
    }
  });
  inlined_[&f] = sum;
}

void LimitsPass::check(const sem::Type* type, Span span) {
  if (diagnostics_.has_errors() || layouts_.scalar_count(type) <= kMaxValueScalars) return;
  diagnostics_.error(span, "a value of type '" + sem::spelling(type) + "' has more than " +
                               std::to_string(kMaxValueScalars) + " components");
}

void limits(const ir::Module& module, Diagnostics& diagnostics) {
  LimitsPass pass(module, diagnostics);
  for (const ir::Function* f : module.functions) {
    pass.run(*f);
    if (diagnostics.has_errors()) return;
  }
}

}  // namespace kem::wgsl::transform
