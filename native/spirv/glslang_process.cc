#include "spirv/glslang_process.h"

#include <glslang/Public/ShaderLang.h>

#include <memory>
#include <mutex>

namespace kem::spirv {
namespace {

// glslang's state is the process's, so what guards it is too. No destructor runs at exit: another thread may
// still be compiling then.
struct State {
  std::shared_mutex mutex;                    // shared: a user; exclusive: initialising or finalising
  std::unique_ptr<const BuiltIns> built_ins;  // null: glslang is not initialised
};

State& state() {
  static State* const instance = new State;
  return *instance;
}

}  // namespace

GlslangUse::GlslangUse() : lock_(state().mutex) {
  while (state().built_ins == nullptr) {
    lock_.unlock();
    {
      const std::unique_lock exclusive(state().mutex);
      if (state().built_ins == nullptr && glslang::InitializeProcess()) {
        state().built_ins = std::make_unique<const BuiltIns>();
      }
    }
    lock_.lock();
  }
}

const BuiltIns& GlslangUse::built_ins() const { return *state().built_ins; }

void finalize_glslang() {
  const std::unique_lock exclusive(state().mutex);
  if (state().built_ins == nullptr) return;
  state().built_ins.reset();
  glslang::FinalizeProcess();
}

}  // namespace kem::spirv
