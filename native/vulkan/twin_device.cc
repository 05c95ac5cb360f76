#include "vulkan/twin_device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "vulkan/device.h"

namespace kem::vulkan {
namespace {

constexpr const char* kThreads = "LP_NUM_THREADS";

// What the workers' help is worth waiting for.
constexpr std::chrono::microseconds kSmall{50};
// Workgroups of a kernel whose cost is not known yet.
constexpr uint64_t kSmallUnknown = 4;

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

uint64_t workgroups(const Step& step) {
  const auto& count = step.workgroups;
  return std::max({count[0], count[1], count[2]}) > 0xffff ? ~uint64_t{0} : count[0] * count[1] * count[2];
}

}  // namespace

std::unique_ptr<Device> open_without_workers(const Device& device, DeviceOptions options) {
  if (device.info().driver != "llvmpipe" || std::getenv(kThreads) != nullptr) return nullptr;
  static constexpr char kAssignment[] = "LP_NUM_THREADS=0";
  const ScopedVariable variable(kAssignment);
  options.selector = device.info().uuid;
  options.drivers_loaded = nullptr;
  auto opened = DeviceImpl::open(options);
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
