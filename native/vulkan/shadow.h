// Keeps a driver's queue thread on the core of the thread that waits for it.
//
// A CPU driver runs a small kernel on a thread of its own while the submitter waits: only one of the two has something
// to do at any time. On one core handing over is a context switch, a microsecond or two. On two cores each wakes one
// that has gone idle, which in a virtual machine takes some 20 us, twice a call; and wherever the operating system has
// put the two, there they stay for thousands of calls. So the queue thread is told to be where its submitter is.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <functional>
#include <optional>

namespace kem::vulkan {

// The caller's lock guards it.
class Shadow {
 public:
  // Runs `create` and finds the one thread that it started. Nothing if it started none or several, or where the
  // operating system does not tell.
  static std::optional<Shadow> of_thread_made_by(const std::function<void()>& create);

  // On the core that the caller is on, from the thread's next wake on.
  void follow();
  // Wherever the operating system likes.
  void release();

 private:
  Shadow(pid_t thread, const cpu_set_t& everywhere) : thread_(thread), everywhere_(everywhere) {}

  pid_t thread_;
  cpu_set_t everywhere_;
  int core_ = -1;  // -1: any
};

}  // namespace kem::vulkan
