#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

FunctionPasses::FunctionPasses(ir::Module& module, bool zero_by_loops, bool hide_loop_exits)
    : module_(module),
      hide_loop_exits_(hide_loop_exits),
      operations_{builtins(module), arithmetic(module), zero_values(module, layouts_, zero_by_loops),
                  host_layout(module, layouts_)},
      forward_(forward(module)) {}

void FunctionPasses::operations(std::span<ir::Function* const> functions) {
  for (Rewriter& pass : operations_) {
    for (ir::Function* f : functions) pass.run(*f);
  }
}

void FunctionPasses::last(std::span<ir::Function* const> functions) {
  for (ir::Function* f : functions) continuing(module_, *f);
  if (hide_loop_exits_) {
    for (ir::Function* f : functions) loop_exits(module_, *f);
  }
  for (ir::Function* f : functions) forward_(*f);
}

}  // namespace kem::wgsl::transform
