// Runs a function on a stack of a chosen size.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace kem::spirv {

// Calls run(argument) on a thread with `bytes` of stack and waits for its end. The stack takes memory only as far
// as it is used. OutOfMemory if there is no such thread to be had.
Status on_deep_stack(size_t bytes, void (*run)(void* argument), void* argument);

}  // namespace kem::spirv
