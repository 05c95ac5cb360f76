#include "spirv/glslang_process.h"

#include <glslang/Public/ShaderLang.h>

#include <mutex>

namespace kem::spirv {
namespace {

// glslang's state is the process's, so what guards it is too. No destructor runs at exit: another thread may
// still be compiling then.
struct State {
  std::shared_mutex mutex;  // shared: a user; exclusive: initialising or finalising
  bool initialized = false;
};

State& state() {
  static State* const instance = new State;
  return *instance;
}

}  // namespace

GlslangUse::GlslangUse() : lock_(state().mutex) {
  while (!state().initialized) {
    lock_.unlock();
    {
      const std::unique_lock exclusive(state().mutex);
      if (!state().initialized) state().initialized = glslang::InitializeProcess();
    }
    lock_.lock();
  }
}

void finalize_glslang() {
  const std::unique_lock exclusive(state().mutex);
  if (!state().initialized) return;
  glslang::FinalizeProcess();
  state().initialized = false;
}

}  // namespace kem::spirv
