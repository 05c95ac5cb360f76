#include "nif/exit_guard.h"

#include <cstdlib>

#include "nif/engine_holder.h"

namespace kem::nif {

ExitGuard& ExitGuard::of_libraries() {
  static ExitGuard guard;
  return guard;
}

ExitGuard& ExitGuard::of_drivers() {
  static ExitGuard guard;
  return guard;
}

ExitGuard& ExitGuard::of_device() {
  static ExitGuard guard;
  return guard;
}

ExitGuard& ExitGuard::of_opening() {
  static ExitGuard guard;
  return guard;
}

// Runs before everything that was registered for the exit until now; the guard itself, being older, still lives then.
void ExitGuard::renew_opening() {
  std::atexit([] { of_opening().stop_all(); });
}

void ExitGuard::add(EngineHolder& holder) {
  std::lock_guard lock(mutex_);
  holders_.push_back(&holder);
}

void ExitGuard::remove(EngineHolder& holder) {
  std::lock_guard lock(mutex_);
  std::erase(holders_, &holder);
}

ExitGuard::~ExitGuard() { stop_all(); }

void ExitGuard::stop_all() {
  std::lock_guard lock(mutex_);
  for (EngineHolder* holder : holders_) holder->stop();
}

}  // namespace kem::nif
