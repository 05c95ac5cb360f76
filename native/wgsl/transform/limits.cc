#include <algorithm>
#include <unordered_map>

#include "wgsl/glsl/layout.h"
#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

void limits(const ir::Module& module, Diagnostics& diagnostics) {
  glsl::Layouts layouts;
  std::unordered_map<const ir::Function*, uint64_t> inlined;  // callees come before callers
  for (const ir::Function* f : module.functions) {
    uint64_t& size = inlined[f];
    for_each(f->body, [&](const ir::Instruction& i) {
      if (diagnostics.has_errors()) return;
      size += 1 + (i.op == ir::Op::Call ? inlined[i.callee] : 0);
      if (size > kMaxInlinedInstructions) {
        diagnostics.error(i.span, "with its calls inlined, function '" + std::string(f->name) + "' has more than " +
                                      std::to_string(kMaxInlinedInstructions) + " operations");
      } else if (const uint64_t scalars = layouts.scalar_count(i.type); scalars > kMaxValueScalars) {
        diagnostics.error(i.span, "a value of type '" + sem::spelling(i.type) + "' has more than " +
                                      std::to_string(kMaxValueScalars) + " components");
      }
    });
    if (diagnostics.has_errors()) return;
  }
}

}  // namespace kem::wgsl::transform
