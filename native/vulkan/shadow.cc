#include "vulkan/shadow.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace kem::vulkan {
namespace {

// A thread starts with the name of its creator: how a thread is found whose creation is the driver's own.
class ScopedThreadName {
 public:
  explicit ScopedThreadName(const char* name) {
    pthread_getname_np(pthread_self(), before_.data(), before_.size());
    pthread_setname_np(pthread_self(), name);
  }
  ~ScopedThreadName() { pthread_setname_np(pthread_self(), before_.data()); }
  ScopedThreadName(const ScopedThreadName&) = delete;
  ScopedThreadName& operator=(const ScopedThreadName&) = delete;

 private:
  std::array<char, 16> before_{};
};

// The only other thread of the process with that name; 0: none or several. Those get another name, so that they are
// not found again.
pid_t find_thread(const std::string& name) {
  pid_t found = 0;
  bool several = false;
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
       task.increment(error)) {
    std::string its_name;
    std::getline(std::ifstream(task->path() / "comm"), its_name);
    const std::string number = task->path().filename();
    pid_t thread = 0;
    std::from_chars(number.data(), number.data() + number.size(), thread);
    if (its_name != name || thread == gettid()) continue;
    std::ofstream(task->path() / "comm") << "kem-driver";
    several = found != 0;
    found = thread;
  }
  return error || several ? 0 : found;
}

}  // namespace

std::optional<Shadow> Shadow::of_thread_made_by(const std::function<void()>& create) {
  const std::string name = "kem-" + std::to_string(gettid());
  pid_t thread = 0;
  {
    const ScopedThreadName named(name.c_str());
    create();
    thread = find_thread(name);
  }
  cpu_set_t everywhere;
  if (thread == 0 || sched_getaffinity(thread, sizeof everywhere, &everywhere) != 0) return std::nullopt;
  if (CPU_COUNT(&everywhere) < 2) return std::nullopt;  // there is nothing to choose
  return Shadow(thread, everywhere);
}

void Shadow::follow() {
  const int core = sched_getcpu();
  if (core < 0 || core == core_ || !CPU_ISSET(core, &everywhere_)) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (sched_setaffinity(thread_, sizeof only, &only) == 0) core_ = core;
}

void Shadow::release() {
  if (core_ != -1 && sched_setaffinity(thread_, sizeof everywhere_, &everywhere_) == 0) core_ = -1;
}

}  // namespace kem::vulkan
