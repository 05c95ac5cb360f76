#include "core/device_slot.h"

#include <algorithm>
#include <exception>
#include <system_error>

namespace kem::core {
namespace {

constexpr std::chrono::seconds kRetryAfter{1};

}  // namespace

wgsl::DeviceFeatures features_of(const vulkan::DeviceLimits& limits) {
  wgsl::DeviceFeatures features;
  features.f16 = limits.f16;
  features.subgroups = limits.subgroups;
  features.subgroup_size_control = limits.subgroups && limits.subgroup_size_control;
  features.min_subgroup_size = limits.min_subgroup_size;
  features.max_subgroup_size = limits.max_subgroup_size;
  features.uniform_standard_layout = limits.uniform_standard_layout;
  features.f16_immediates = limits.f16 && limits.f16_push_constants;
  features.max_immediate_bytes = std::max(limits.max_push_constant_bytes, wgsl::Reflection::kPushConstantBytes) -
                                 wgsl::Reflection::kPushConstantBytes;
  features.max_workgroup_size_x = limits.max_workgroup_size[0];
  features.max_workgroup_size_y = limits.max_workgroup_size[1];
  features.max_workgroup_size_z = limits.max_workgroup_size[2];
  features.max_workgroup_invocations = limits.max_workgroup_invocations;
  features.max_workgroup_bytes = limits.max_shared_bytes;
  features.max_uniform_bytes = limits.max_uniform_range;
  features.max_storage_bytes = limits.max_storage_range;
  return features;
}

DeviceSlot::~DeviceSlot() {
  if (thread_.joinable()) thread_.join();
}

void DeviceSlot::start() {
  const std::lock_guard lock(mutex_);
  start_locked();
}

void DeviceSlot::start_locked() {
  if (device_ || opening_) return;
  std::erase_if(lost_, [](const auto& device) { return device.use_count() == 1; });
  if (error_ && std::chrono::steady_clock::now() - failed_at_ < kRetryAfter) return;
  if (thread_.joinable()) thread_.join();  // it has said its result, so it is about to end
  error_.reset();
  try {
    thread_ = std::thread([this] { open(); });
    opening_ = true;
  } catch (const std::system_error& error) {
    error_ = Error{ErrorClass::Internal, std::string("cannot start a thread: ") + error.what()};
    failed_at_ = std::chrono::steady_clock::now();
  }
}

void DeviceSlot::open() {
  Result<std::unique_ptr<vulkan::Device>> opened = fail(ErrorClass::Internal, "opening the device raised an exception");
  try {
    opened = open_();
  } catch (const std::exception& error) {
    opened = fail(ErrorClass::Internal, std::string("opening the device: ") + error.what());
  }
  const std::lock_guard lock(mutex_);
  if (opened) {
    device_ = std::make_shared<OpenDevice>(std::move(*opened));
  } else {
    error_ = std::move(opened).error();
    failed_at_ = std::chrono::steady_clock::now();
  }
  opening_ = false;
  changed_.notify_all();
}

Result<std::shared_ptr<OpenDevice>> DeviceSlot::wait() {
  std::unique_lock lock(mutex_);
  start_locked();
  changed_.wait(lock, [this] { return !opening_; });
  if (device_) return device_;
  return fail(error_.value_or(Error{ErrorClass::DeviceLost, "the device was lost"}));
}

std::shared_ptr<OpenDevice> DeviceSlot::current() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

void DeviceSlot::lose(OpenDevice& device) {
  device.lost = true;
  const std::lock_guard lock(mutex_);
  if (device_.get() == &device) lost_.push_back(std::move(device_));
}

}  // namespace kem::core
