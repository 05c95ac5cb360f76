#include "spirv/deep_stack.h"

#include <pthread.h>

namespace kem::spirv {
namespace {

struct Call {
  void (*run)(void*);
  void* argument;
};

void* enter(void* call) {
  static_cast<Call*>(call)->run(static_cast<Call*>(call)->argument);
  return nullptr;
}

}  // namespace

Status on_deep_stack(size_t bytes, void (*run)(void* argument), void* argument) {
  Call call{run, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread{};
  int code = pthread_attr_setstacksize(&attributes, bytes);
  if (code == 0) code = pthread_create(&thread, &attributes, enter, &call);
  pthread_attr_destroy(&attributes);
  if (code != 0) return fail(ErrorClass::OutOfMemory, "no thread with " + std::to_string(bytes) + " bytes of stack");
  pthread_join(thread, nullptr);
  return {};
}

}  // namespace kem::spirv
