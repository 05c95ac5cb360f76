#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

// What is told is worth something to small results of short kernels only.
constexpr size_t kMostLookedThrough = 1u << 14;

}  // namespace

UnreadPass::UnreadPass(const ir::Module& module) : module_(module), pointed_at_(module.id_bound()) {
  for (const ir::Variable* v : module.variables) {
    if (v->space != sem::AddressSpace::Storage || v->access != sem::AccessMode::ReadWrite) continue;
    pointed_at_[v->id] = v;
    unread_.push_back(v);
  }
}

void UnreadPass::run(const ir::Function& function) {
  if (unread_.empty()) return;
  pointed_at_.resize(std::max<size_t>(pointed_at_.size(), module_.id_bound()));
  std::vector<uint32_t> pointers;
  for_each(function.body, [&](const ir::Instruction& i) {
    ++looked_through_;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const ir::Variable* const v = pointed_at_[i.operands[k]->id];
      if (v == nullptr || i.op == ir::Op::ArrayLength || (i.op == ir::Op::Store && k == 0)) continue;
      if (i.op == ir::Op::Access && k == 0) {
        pointed_at_[i.id] = v;
        pointers.push_back(i.id);
      } else {
        std::erase(unread_, v);
      }
    }
  });
  // Another function's values may have the same ids.
  for (const uint32_t id : pointers) pointed_at_[id] = nullptr;
  if (looked_through_ > kMostLookedThrough) unread_.clear();
}

}  // namespace kem::wgsl::transform
