#include "nif/exit_guard.h"

#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "nif/engine_holder.h"

namespace kem::nif {
namespace {

std::atomic<int> being_opened{0};  // engines whose devices are

// Finds out what exit() was called with. Functions of atexit, which go with this library when it is unloaded, are not
// told; those of on_exit are, but stay for good. So one of the C library's own is registered there, which writes the
// status, as a byte, to a stream that nobody closes.
class ExitStatus {
 public:
  ExitStatus() : stream_(open_memstream(&bytes_, &size_)) {}
  // To be called behind the registration of what is going to ask.
  void record() {
    if (stream_ == nullptr) return;
    const auto put = reinterpret_cast<void (*)()>(&fputc);
    on_exit(reinterpret_cast<void (*)(int, void*)>(put), stream_);
  }
  // Nothing before the exit.
  const char* byte() { return stream_ != nullptr && fflush(stream_) == 0 && size_ != 0 ? bytes_ : nullptr; }

 private:
  char* bytes_ = nullptr;
  size_t size_ = 0;
  FILE* stream_;
};

ExitStatus& exit_status() {
  static auto* const status = new ExitStatus;  // for good: the stream writes to it
  return *status;
}

}  // namespace

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

// For good: a renewal may be registered, and run, while the process is exiting already.
ExitGuard& ExitGuard::of_opening() {
  static auto* const guard = new ExitGuard;
  return *guard;
}

void ExitGuard::begin_opening() {
  ++being_opened;
  renew_opening();
}

void ExitGuard::end_opening() { --being_opened; }

// What is registered here runs before everything that was registered for the exit until now.
void ExitGuard::renew_opening() {
  std::atexit([] {
    const char* const status = exit_status().byte();
    if (being_opened != 0 && status != nullptr) _exit(static_cast<unsigned char>(*status));
    of_opening().stop_all();
  });
  exit_status().record();
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
