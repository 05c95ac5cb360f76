// The catch boundary of the engine's threads: whatever a library throws becomes an Error.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/result.h"

namespace kem::core {

// Calls `work`, which returns a Result or Status.
template <class Work>
auto run_guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorClass::OutOfMemory, "out of memory");
  } catch (const std::exception& error) {
    return fail(ErrorClass::Internal, std::string("unexpected exception: ") + error.what());
  } catch (...) {
    return fail(ErrorClass::Internal, "unexpected exception");
  }
}

}  // namespace kem::core
