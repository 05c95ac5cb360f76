// Opening the devices that a selector names.
#include <algorithm>
#include <mutex>
#include <utility>

#include "vulkan/device.h"
#include "vulkan/device_choice.h"
#include "vulkan/machine.h"

namespace kem::vulkan {
namespace {

class Selected final : public Selection {
 public:
  Selected(DeviceOptions options, Machine machine, Choice choice)
      : options_(std::move(options)), candidates_(machine.candidates), machine_(std::move(machine)) {
    choice_ = std::move(choice);
    for (const size_t index : choice_.devices) infos_.push_back(candidates_[index].info);
    options_.drivers_loaded = nullptr;
  }

  std::span<const DeviceInfo> devices() const override { return infos_; }

  Result<std::unique_ptr<Device>> open(size_t index) override {
    auto device = open_candidate(choice_.devices.at(index));
    if (device) return device;
    if (!all_failed()) return fail(std::move(device).error());
    for (const size_t other : choice_.instead) {
      if (auto instead = open_candidate(other)) return instead;
    }
    const std::lock_guard lock(mutex_);
    return fail(ErrorClass::NoDevice, "no Vulkan device could be opened; found:" + found(candidates_));
  }

 private:
  Result<std::unique_ptr<Device>> open_candidate(size_t index) {
    auto device = open_now(index);
    const std::lock_guard lock(mutex_);
    candidates_[index].unusable = device ? "" : device.error().message;
    return device;
  }

  Result<std::unique_ptr<Device>> open_now(size_t index) {
    KEM_TRY(Machine machine, this->machine());
    KEM_TRY(const Candidate* candidate, same(machine.candidates, candidates_[index].info));
    KEM_TRY(auto opened, DeviceImpl::open(std::move(machine.instance), *candidate, options_));
    return complete(std::move(opened), options_);
  }

  // The one that the choice was made with serves once.
  Result<Machine> machine() {
    {
      const std::lock_guard lock(mutex_);
      if (machine_.instance != nullptr) return std::exchange(machine_, {});
    }
    return Machine::look(options_);
  }

  // Devices may come and go between two looks.
  static Result<const Candidate*> same(std::span<const Candidate> candidates, const DeviceInfo& info) {
    if (info.index < candidates.size() && candidates[info.index].info.uuid == info.uuid &&
        candidates[info.index].info.name == info.name)
      return &candidates[info.index];
    const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
      return candidate.info.uuid == info.uuid && candidate.info.name == info.name;
    });
    if (other != candidates.end()) return &*other;
    return fail(ErrorClass::NoDevice, "the Vulkan device " + info.name + " is not there any more");
  }

  bool all_failed() {
    const std::lock_guard lock(mutex_);
    return std::none_of(choice_.devices.begin(), choice_.devices.end(),
                        [&](size_t index) { return candidates_[index].unusable.empty(); });
  }

  DeviceOptions options_;
  Choice choice_;
  std::vector<DeviceInfo> infos_;
  std::mutex mutex_;
  std::vector<Candidate> candidates_;  // only `unusable` changes: why it could not be opened the last time
  Machine machine_;
};

}  // namespace

Result<std::unique_ptr<Selection>> Selection::make(const DeviceOptions& options) {
  KEM_TRY(Machine machine, Machine::look(options));
  KEM_TRY(Choice choice, choose(machine.candidates, options.selector));
  const size_t count = std::clamp<size_t>(choice.devices.size(), 1, std::min(options.most, kMost));
  const auto more = choice.devices.begin() + static_cast<ptrdiff_t>(count);
  choice.instead.insert(choice.instead.begin(), more, choice.devices.end());
  choice.devices.resize(count);
  return std::make_unique<Selected>(options, std::move(machine), std::move(choice));
}

Result<std::unique_ptr<Device>> Device::open(const DeviceOptions& options) {
  KEM_TRY(const std::unique_ptr<Selection> selection, Selection::make(options));
  return selection->open(0);
}

}  // namespace kem::vulkan
