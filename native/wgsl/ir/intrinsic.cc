#include "wgsl/ir/intrinsic.h"

namespace kem::wgsl::ir {

const IntrinsicRow& row(Intrinsic intrinsic) {
  static constexpr IntrinsicRow kRows[] = {
#define KEM_ROW(id, text, form, effect) {#id, text, IntrinsicForm::form, IntrinsicEffect::effect},
      KEM_INTRINSICS(KEM_ROW)
#undef KEM_ROW
  };
  return kRows[static_cast<size_t>(intrinsic)];
}

}  // namespace kem::wgsl::ir
