// What the host's drivers show: an instance and its physical devices.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "vulkan/device_choice.h"
#include "vulkan/instance.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

struct Machine {
  std::unique_ptr<Instance> instance;
  std::vector<Candidate> candidates;  // of the instance

  // Uses of the options: validation, drivers_loaded. `assignment` (NAME=VALUE) is in the environment while the drivers
  // look for their devices, which is when they read it; nobody else looks meanwhile. NoDevice; InvalidArgument if the
  // environment has the variable already.
  static Result<Machine> look(const DeviceOptions& options, const char* assignment = nullptr);
};

}  // namespace kem::vulkan
