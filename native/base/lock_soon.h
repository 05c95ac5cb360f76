// A lock of what is never held for longer than a microsecond or two.
#pragma once

#include <mutex>

namespace kem {

// Looks a few times before it sleeps: to be put to sleep and woken takes many times as long as what the others do with
// the mutex held, and whoever has to wake a sleeper pays too.
template <class Mutex>
std::unique_lock<Mutex> lock_soon(Mutex& mutex) {
  constexpr int kLooks = 64;  // a few microseconds
  for (int i = 0; i < kLooks; ++i) {
    if (mutex.try_lock()) return std::unique_lock(mutex, std::adopt_lock);
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  return std::unique_lock(mutex);
}

}  // namespace kem
