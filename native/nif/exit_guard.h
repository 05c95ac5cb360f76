// Stops engines when the process exits. The VM's halt does not unload libraries: it calls exit(), which destroys the
// static objects of libraries while our threads still use them.
#pragma once

#include <mutex>
#include <vector>

namespace kem::nif {

class EngineHolder;

// Static objects go in the reverse order of their making, those of a library that cleans up at exit in the order of
// its loading or first use. So a guard protects from what was loaded before it was first asked for, and there are
// three.
class ExitGuard {
 public:
  // To be asked for when the libraries that this one is linked with have been used.
  static ExitGuard& of_libraries();
  // To be asked for when the GPUs' drivers are loaded.
  static ExitGuard& of_drivers();
  // To be asked for when the device is open: drivers load more for that.
  static ExitGuard& of_device();

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
