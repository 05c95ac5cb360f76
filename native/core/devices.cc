#include "core/devices.h"

#include <algorithm>
#include <exception>
#include <string>
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

Devices::~Devices() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  // Only the first one's thread adds slots.
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].thread.joinable()) slots_[i].thread.join();
  }
}

void Devices::start() {
  Lock lock(mutex_);
  start(lock);
}

// Devices take their time to close: not under the lock.
void Devices::start(Lock& lock) {
  std::vector<Reference> unused;
  for (Slot& slot : slots_) {
    for (Reference& device : slot.lost) {
      if (device.use_count() == 1) unused.push_back(std::move(device));
    }
    std::erase(slot.lost, nullptr);
  }
  if (!unused.empty()) {
    lock.unlock();
    unused.clear();
    lock.lock();
  }
  for (size_t i = 0; i < slots_.size(); ++i) start(i);
  note_care();
}

void Devices::start(size_t index) {
  Slot& slot = slots_[index];
  if (slot.device || slot.opening || closing_) return;
  if (slot.error && std::chrono::steady_clock::now() - slot.failed_at < kRetryAfter) return;
  if (slot.thread.joinable()) slot.thread.join();  // it has said its result, so it is about to end
  slot.error.reset();
  try {
    slot.thread = std::thread([this, index] { open(index); });
    slot.opening = true;
  } catch (const std::system_error& error) {
    slot.error = Error{ErrorClass::Internal, std::string("cannot start a thread: ") + error.what()};
    slot.failed_at = std::chrono::steady_clock::now();
  }
}

void Devices::open(size_t index) {
  Result<std::unique_ptr<vulkan::Device>> device = fail(ErrorClass::Internal, "opening the device raised an exception");
  try {
    device = opened(index);
  } catch (const std::exception& error) {
    device = fail(ErrorClass::Internal, std::string("opening the device: ") + error.what());
  }
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[index];
  if (device) {
    slot.device = std::make_shared<OpenDevice>(std::move(*device), index, slot.load);
  } else {
    slot.error = std::move(device).error();
    slot.failed_at = std::chrono::steady_clock::now();
  }
  slot.opening = false;
  note_care();
  changed_.notify_all();
}

Result<std::unique_ptr<vulkan::Device>> Devices::opened(size_t index) {
  KEM_TRY(vulkan::Selection* const selection, this->selection());
  return selection->open(index);
}

// The first slot's thread makes the choice, unless it is made, and sets the others to work before it goes on.
Result<vulkan::Selection*> Devices::selection() {
  {
    const std::lock_guard lock(mutex_);
    if (selection_ != nullptr) return selection_.get();
  }
  KEM_TRY(auto made, select_());
  const std::lock_guard lock(mutex_);
  const size_t count = made->devices().size();
  while (slots_.size() < count) slots_.emplace_back();
  selection_ = std::move(made);
  count_ = count;
  for (size_t i = 1; i < count; ++i) start(i);
  changed_.notify_all();
  return selection_.get();
}

void Devices::note_care() {
  want_care_ = slots_.size() > 1 && std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
                 return (!slot.device && !slot.opening) || !slot.lost.empty();
               });
}

Result<Devices::Reference> Devices::wait() {
  Lock lock(mutex_);
  start(lock);
  while (true) {
    bool opening = false;
    for (const Slot& slot : slots_) {
      if (slot.device) return slot.device;
      opening = opening || slot.opening;
    }
    if (!opening) break;
    changed_.wait(lock);
  }
  return fail(slots_.front().error.value_or(Error{ErrorClass::DeviceLost, "the device was lost"}));
}

Result<Devices::Reference> Devices::wait(size_t index) {
  Lock lock(mutex_);
  start(lock);
  changed_.wait(lock, [&] { return selection_ != nullptr || !slots_.front().opening; });
  if (selection_ != nullptr && index >= slots_.size()) {
    return fail(ErrorClass::InvalidArgument, "there is no device " + std::to_string(index) + ": the engine has " +
                                                 std::to_string(slots_.size()) + ", counted from 0");
  }
  const Slot& slot = selection_ != nullptr ? slots_[index] : slots_.front();
  changed_.wait(lock, [&] { return !slot.opening; });
  if (slot.device) return slot.device;
  return fail(slot.error.value_or(Error{ErrorClass::DeviceLost, "the device was lost"}));
}

bool Devices::wait_for_all(std::chrono::nanoseconds at_most) {
  Lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] {
    return std::none_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.opening; });
  });
}

Devices::Reference Devices::current(size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < slots_.size() ? slots_[index].device : nullptr;
}

void Devices::lose(OpenDevice& device) {
  device.lost = true;
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[device.index];
  if (slot.device.get() != &device) return;
  slot.lost.push_back(std::move(slot.device));
  ++slot.losses;
  note_care();
}

std::vector<Devices::State> Devices::states() const {
  const std::lock_guard lock(mutex_);
  std::vector<State> states;
  for (size_t i = 0; selection_ != nullptr && i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    states.push_back(
        {slot.device ? slot.device->device->info() : selection_->devices()[i], slot.device, slot.losses, &slot.load});
  }
  return states;
}

}  // namespace kem::core
