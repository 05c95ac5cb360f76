// Stops engines when the process exits. The VM's halt does not unload libraries: it calls exit(), which destroys the
// static objects of libraries while our threads still use them.
#pragma once

#include <mutex>
#include <vector>

namespace kem::nif {

class EngineHolder;

// Static objects go in the reverse order of their making, those of a library that cleans up at exit in the order of
// its loading or first use. So a guard protects from what was loaded before it was first asked for, and there are
// three, and one that is renewed again and again while the devices are being opened: a driver makes such objects at
// moments that nobody is told of, and an exit that destroyed them under it would crash or hang.
class ExitGuard {
 public:
  // To be asked for when the libraries that this one is linked with have been used.
  static ExitGuard& of_libraries();
  // To be asked for when the GPUs' drivers are loaded.
  static ExitGuard& of_drivers();
  // To be asked for when the devices are open: drivers load more for that.
  static ExitGuard& of_device();

  // To be asked for and added to before the devices are opened, then renewed until they are. Each renewal takes some
  // bytes for good. An exit in between ends the process when it comes to the latest renewal: what the drivers made
  // since then is destroyed already, so waiting for them to come to an end would be waiting for a crash.
  static ExitGuard& of_opening();
  static void begin_opening();
  static void renew_opening();
  static void end_opening();

  void add(EngineHolder& holder);
  void remove(EngineHolder& holder);

  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

 private:
  ExitGuard() = default;
  ~ExitGuard();
  void stop_all();

  std::mutex mutex_;
  std::vector<EngineHolder*> holders_;
};

}  // namespace kem::nif
