#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {

std::vector<const ir::Variable*> unread(const ir::Module& module) {
  if (module.instruction_count() > kMostLookedThrough) return {};
  std::vector<const ir::Variable*> pointed_at(module.id_bound());  // by Value::id of a pointer
  for (const ir::Variable* v : module.variables) {
    if (v->space == sem::AddressSpace::Storage && v->access == sem::AccessMode::ReadWrite) pointed_at[v->id] = v;
  }
  std::vector<bool> read(module.id_bound());  // by Value::id of a variable
  for (const ir::Function* f : module.functions) {
    for_each(f->body, [&](const ir::Instruction& i) {
      for (size_t k = 0; k < i.operands.size(); ++k) {
        const ir::Variable* const v = pointed_at[i.operands[k]->id];
        if (v == nullptr || i.op == ir::Op::ArrayLength || (i.op == ir::Op::Store && k == 0)) continue;
        if (i.op == ir::Op::Access && k == 0) {
          pointed_at[i.id] = v;
        } else {
          read[v->id] = true;
        }
      }
    });
  }
  std::vector<const ir::Variable*> found;
  for (const ir::Variable* v : module.variables) {
    if (pointed_at[v->id] != nullptr && !read[v->id]) found.push_back(v);
  }
  return found;
}

}  // namespace kem::wgsl::transform
