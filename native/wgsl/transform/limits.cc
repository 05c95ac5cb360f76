#include <algorithm>
#include <unordered_map>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

namespace {

struct Inlined {
  uint64_t operations = 0;
  uint64_t bytes = 0;  // of variables
};

uint64_t private_bytes(const ir::Module& module) {
  uint64_t bytes = 0;
  for (const ir::Variable* v : module.variables) {
    if (v->space == sem::AddressSpace::Private) bytes += sem::size_of(sem::as_pointer(v->type)->store);
  }
  return bytes;
}

}  // namespace

void limits(const ir::Module& module, Diagnostics& diagnostics) {
  glsl::Layouts layouts;
  std::unordered_map<const ir::Function*, Inlined> inlined;  // callees come before callers
  const uint64_t module_bytes = private_bytes(module);
  for (const ir::Function* f : module.functions) {
    Inlined sum;
    for_each(f->body, [&](const ir::Instruction& i) {
      if (diagnostics.has_errors()) return;
      ++sum.operations;
      if (i.op == ir::Op::Var) sum.bytes += sem::size_of(sem::as_pointer(i.type)->store);
      if (i.op == ir::Op::Call) {
        sum.operations += inlined[i.callee].operations;
        sum.bytes += inlined[i.callee].bytes;
      }
      if (module_bytes + sum.bytes > kMaxInlinedBytes) {
        diagnostics.error(i.span, "with its calls inlined, function '" + std::string(f->name) + "' has more than " +
                                      std::to_string(kMaxInlinedBytes) + " bytes of variables");
      } else if (sum.operations > kMaxInlinedInstructions) {
        diagnostics.error(i.span, "with its calls inlined, function '" + std::string(f->name) + "' has more than " +
                                      std::to_string(kMaxInlinedInstructions) + " operations");
        return;
      }
      const auto check = [&](const sem::Type* type) {
        if (type->is_scalar() || sem::as_vector(type) != nullptr || sem::as_pointer(type) != nullptr) return;
        if (diagnostics.has_errors() || layouts.scalar_count(type) <= kMaxValueScalars) return;
        diagnostics.error(i.span, "a value of type '" + sem::spelling(type) + "' has more than " +
                                      std::to_string(kMaxValueScalars) + " components");
      };
      check(i.type);
      for (ir::Value* operand : i.operands) {
        if (ir::as_constant(operand) != nullptr) check(operand->type);
      }
    });
    if (diagnostics.has_errors()) return;
    inlined[f] = sum;
  }
}

}  // namespace kem::wgsl::transform
