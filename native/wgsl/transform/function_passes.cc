#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

FunctionPasses::FunctionPasses(ir::Module& module, bool zero_by_loops)
    : module_(module),
      operations_{builtins(module), arithmetic(module), zero_values(module, layouts_, zero_by_loops),
                  host_layout(module, layouts_)},
      forward_(forward(module)) {}

void FunctionPasses::operations(ir::Function& function) {
  for (Rewriter& pass : operations_) pass.run(function);
}

void FunctionPasses::last(ir::Function& function) {
  continuing(module_, function);
  forward_(function);
}

}  // namespace kem::wgsl::transform
