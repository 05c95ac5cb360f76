#include "vulkan/twin_device.h"

#include <algorithm>
#include <vector>

#include "vulkan/device.h"
#include "vulkan/machine.h"

namespace kem::vulkan {
namespace {

constexpr const char* kNoThreads = "LP_NUM_THREADS=0";

// What the workers' help is worth waiting for.
constexpr std::chrono::microseconds kSmall{50};
// Workgroups of a kernel whose cost is not known yet.
constexpr uint64_t kSmallUnknown = 4;

uint64_t workgroups(const Step& step) {
  const auto& count = step.workgroups;
  return std::max({count[0], count[1], count[2]}) > 0xffff ? ~uint64_t{0} : count[0] * count[1] * count[2];
}

}  // namespace

std::unique_ptr<Device> open_without_workers(const Device& device, DeviceOptions options) {
  if (device.info().driver != "llvmpipe") return nullptr;
  options.drivers_loaded = nullptr;
  auto machine = Machine::look(options, kNoThreads);
  if (!machine) return nullptr;
  const auto same = std::find_if(machine->candidates.begin(), machine->candidates.end(), [&](const Candidate& other) {
    return other.info.uuid == device.info().uuid && other.info.name == device.info().name;
  });
  if (same == machine->candidates.end()) return nullptr;
  auto opened = DeviceImpl::open(std::move(machine->instance), *same, options);
  if (!opened) return nullptr;
  return std::move(*opened);
}

struct TwinDevice::Twin final : Pipeline {
  std::unique_ptr<Pipeline> with_workers;
  std::unique_ptr<Pipeline> alone;
};

Result<std::unique_ptr<Pipeline>> TwinDevice::make_pipeline(const PipelineDescription& description) {
  auto twin = std::make_unique<Twin>();
  KEM_TRY(twin->with_workers, with_workers_->make_pipeline(description));
  KEM_TRY(twin->alone, alone_->make_pipeline(description));
  return twin;
}

// Workers share out workgroups, so one alone gains nothing by them.
bool TwinDevice::is_small(const Twin& twin, const Step& step) const {
  const uint64_t count = workgroups(step);
  if (count <= 1) return true;
  const auto cost = cost_of(twin);
  if (cost.count() == 0) return count <= kSmallUnknown;
  return count < static_cast<uint64_t>(std::chrono::nanoseconds(kSmall).count() / cost.count());
}

// Buffers that outlive calls are on the device with workers, and so is what uses them.
Device& TwinDevice::choose(std::span<const Step> steps) const {
  for (const Step& step : steps) {
    const Twin* const twin = dynamic_cast<const Twin*>(step.pipeline);
    const bool resident = std::any_of(step.arguments.begin(), step.arguments.end(),
                                      [](const Argument& argument) { return argument.resident != nullptr; });
    if (twin == nullptr || resident || !is_small(*twin, step)) return *with_workers_;
  }
  return *alone_;
}

// A foreign pipeline stays as it is: the device says what is wrong with it.
Step TwinDevice::on(const Device& device, Step step) const {
  if (const Twin* const twin = dynamic_cast<const Twin*>(step.pipeline))
    step.pipeline = &device == alone_.get() ? twin->alone.get() : twin->with_workers.get();
  return step;
}

// Calls use(device, steps) with the device's own pipelines; the usual single step without memory for a list.
template <class Use>
auto TwinDevice::with_chosen(std::span<const Step> steps, Use use) const {
  Device& device = choose(steps);
  if (steps.size() == 1) {
    const Step step = on(device, steps.front());
    return use(device, std::span(&step, 1));
  }
  std::vector<Step> own;
  own.reserve(steps.size());
  for (const Step& step : steps) own.push_back(on(device, step));
  return use(device, std::span<const Step>(own));
}

Result<bool> TwinDevice::start(std::span<const Step> steps, const Terms& terms, Completion& completion) {
  return with_chosen(steps,
                     [&](Device& device, std::span<const Step> own) { return device.start(own, terms, completion); });
}

// The greater: what was said last may be old.
std::chrono::nanoseconds TwinDevice::cost_of(const Twin& twin) const {
  return std::max(alone_->cost(*twin.alone), with_workers_->cost(*twin.with_workers));
}

std::chrono::nanoseconds TwinDevice::cost(const Pipeline& pipeline) const {
  const Twin* const twin = dynamic_cast<const Twin*>(&pipeline);
  return twin == nullptr ? std::chrono::nanoseconds(0) : cost_of(*twin);
}

// The heap is the same one.
MemoryUsage TwinDevice::memory() const {
  MemoryUsage usage = with_workers_->memory();
  usage.allocated += alone_->memory().allocated;
  return usage;
}

std::vector<std::string> TwinDevice::validation_log() const {
  std::vector<std::string> log = with_workers_->validation_log();
  for (std::string& text : alone_->validation_log()) log.push_back(std::move(text));
  return log;
}

}  // namespace kem::vulkan
