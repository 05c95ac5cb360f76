#include "vulkan/machine.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace kem::vulkan {
namespace {

// The environment is the process's, and so is this: held alone while it is changed.
std::shared_mutex& environment() {
  static std::shared_mutex mutex;
  return mutex;
}

// The environment with one variable more, for as long as this lives. setenv() may free the array that another
// thread's getenv() reads; here the old array stays as it is and the new one is never freed, so that a reader sees
// either. Some kilobytes, once for a device.
class ScopedVariable {
 public:
  explicit ScopedVariable(const char* assignment) : before_(environ) {
    size_t count = 0;
    while (before_[count] != nullptr) ++count;
    char** const with = static_cast<char**>(std::calloc(count + 2, sizeof(char*)));
    if (with == nullptr) return;
    std::copy_n(before_, count, with + 1);
    with[0] = const_cast<char*>(assignment);  // getenv() only reads
    environ = with_ = with;
  }
  ~ScopedVariable() {
    if (with_ != nullptr && environ == with_) environ = before_;
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  char** before_;
  char** with_ = nullptr;
};

}  // namespace

Result<Machine> Machine::look(const DeviceOptions& options, const char* assignment) {
  Machine machine;
  std::vector<VkPhysicalDevice> devices;
  const auto find = [&]() -> Status {
    KEM_TRY(machine.instance, Instance::create(options.validation));
    KEM_TRY(devices, machine.instance->physical_devices());
    return {};
  };
  if (assignment != nullptr) {
    const std::lock_guard alone(environment());
    const std::string name(assignment, std::strcspn(assignment, "="));
    if (std::getenv(name.c_str()) != nullptr) return fail(ErrorClass::InvalidArgument, name + " is set already");
    const ScopedVariable variable(assignment);
    KEM_CHECK(find());
  } else {
    const std::shared_lock with_others(environment());
    KEM_CHECK(find());
  }
  if (options.drivers_loaded) options.drivers_loaded();
  machine.candidates = describe(*machine.instance, devices);
  return machine;
}

}  // namespace kem::vulkan
