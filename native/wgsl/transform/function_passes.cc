#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

FunctionPasses::FunctionPasses(ir::Module& module, bool zero_by_loops, bool hide_loop_exits)
    : module_(module),
      hide_loop_exits_(hide_loop_exits),
      operations_{builtins(module), arithmetic(module), zero_values(module, layouts_, zero_by_loops),
                  host_layout(module, layouts_)},
      forward_(forward(module)) {}

void FunctionPasses::operations(ir::Function& function) {
  for (Rewriter& pass : operations_) pass.run(function);
}

void FunctionPasses::last(ir::Function& function) {
  continuing(module_, function);
  if (hide_loop_exits_) loop_exits(module_, function);
  forward_(function);
}

}  // namespace kem::wgsl::transform
