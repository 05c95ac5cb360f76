// Stops engines when the process exits. The VM's halt does not unload libraries: it calls exit(), which destroys the
// static objects of the GPU's driver while our threads still use them.
#pragma once

#include <mutex>
#include <vector>

namespace kem::nif {

class EngineHolder;

class ExitGuard {
 public:
  // Static objects go in the reverse order of their making. The first caller makes the guard, so it must call when
  // the driver is loaded: then the engines stop before the driver's objects go.
  static ExitGuard& instance();

  void add(EngineHolder& holder);
  void remove(EngineHolder& holder);

  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

 private:
  ExitGuard() = default;
  ~ExitGuard();

  std::mutex mutex_;
  std::vector<EngineHolder*> holders_;
};

}  // namespace kem::nif
