#include "vulkan/device.h"

#include <sched.h>

#include <algorithm>
#include <functional>
#include <future>
#include <limits>

#include "vulkan/device_choice.h"
#include "vulkan/loop_probe.h"
#include "vulkan/machine.h"
#include "vulkan/open.h"
#include "vulkan/twin_device.h"
#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

// How long the end of the device waits for abandoned jobs.
constexpr std::chrono::seconds kPatience{5};
constexpr uint64_t kWhole = uint64_t{1} << 62;
// Longer than an empty submit takes where the queue is a thread.
constexpr std::chrono::microseconds kShort{100};

Error foreign_pipeline() { return {ErrorClass::InvalidArgument, "the pipeline belongs to another device"}; }

class Waiter final : public Completion {
 public:
  void ended(Result<RunTimes> result) noexcept override { promise_.set_value(std::move(result)); }
  Result<RunTimes> wait() { return promise_.get_future().get(); }

 private:
  std::promise<Result<RunTimes>> promise_;
};

Result<std::array<uint32_t, 3>> checked_grid(const PipelineState& pipeline, const std::array<uint64_t, 3>& workgroups,
                                             const DeviceLimits& limits) {
  std::array<uint32_t, 3> grid{};
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    const uint64_t most =
        pipeline.has_push_constants ? std::numeric_limits<uint32_t>::max() : limits.max_workgroup_count[dimension];
    if (workgroups[dimension] > most)
      return fail(ErrorClass::InvalidArgument, std::to_string(workgroups[dimension]) + " workgroups along " +
                                                   "xyz"[dimension] + ": at most " + std::to_string(most) +
                                                   " can be run");
    grid[dimension] = static_cast<uint32_t>(workgroups[dimension]);
  }
  return grid;
}

// What a step of no workgroups leaves: the initial bytes and zeros.
void copy_initial(std::span<const Argument> arguments) {
  for (const Argument& argument : arguments) {
    if (argument.resident != nullptr) continue;
    const size_t given = std::min(argument.initial.size(), argument.result.size());
    std::copy_n(argument.initial.begin(), given, argument.result.begin());
    std::fill(argument.result.begin() + static_cast<ptrdiff_t>(given), argument.result.end(), uint8_t{0});
  }
}

}  // namespace

Result<std::vector<DeviceInfo>> enumerate() {
  KEM_TRY(Machine machine, Machine::look({}));
  std::vector<DeviceInfo> infos;
  for (Candidate& candidate : machine.candidates) infos.push_back(std::move(candidate.info));
  return infos;
}

Result<std::unique_ptr<Device>> complete(std::unique_ptr<DeviceImpl> device, const DeviceOptions& options) {
  KEM_TRY(const LoopBehavior loops, probe_loops(*device));
  device->set_loop_behavior(loops);
  std::unique_ptr<Device> alone = open_without_workers(*device, options);
  if (alone == nullptr) return device;
  return std::make_unique<TwinDevice>(std::move(device), std::move(alone));
}

Result<std::unique_ptr<DeviceImpl>> DeviceImpl::open(const DeviceOptions& options, AdjustContext adjust) {
  KEM_TRY(Machine machine, Machine::look(options));
  KEM_TRY(const Choice choice, choose(machine.candidates, options.selector));
  return open(std::move(machine.instance), machine.candidates[choice.devices.front()], options, adjust);
}

Result<std::unique_ptr<DeviceImpl>> DeviceImpl::open(std::unique_ptr<Instance> instance, const Candidate& candidate,
                                                     const DeviceOptions& options, AdjustContext adjust) {
  auto core = std::make_unique<Core>();
  core->instance = std::move(instance);
  KEM_TRY(core->context, open_context(*core->instance, candidate, options.polling));
  if (adjust != nullptr) adjust(core->context);
  KEM_CHECK(set_up(*core, options));
  std::unique_ptr<DeviceImpl> device(new DeviceImpl(std::move(core)));
  device->probe_near();
  return device;
}

Status DeviceImpl::set_up(Core& core, const DeviceOptions& options) {
  // Each piece of a result has a ticket; fences are too few for that.
  if (!core.context.timeline) {
    core.context.piece_bytes = kWhole;
    core.context.copy_queues = 0;
  }
  if (!core.context.unified && core.context.import_alignment != 0)
    core.imports = std::make_unique<Imports>(core.context);
  core.slots = std::make_unique<SlotPool>(core.context, options.retained_bytes);
  KEM_TRY(core.pipelines, PipelineStore::open(core.context, {options.pipeline_cache}));
  if (core.context.copy_queues != 0) {
    KEM_TRY(core.copies, CopyQueues::make(core.context));
  }
  KEM_TRY(core.lanes, Lanes::make(core.context, core.copier, core.copies.get()));
  return {};
}

DeviceImpl::Core::~Core() {
  lanes = std::nullopt;
  copies = nullptr;
  pipelines = nullptr;
  slots = nullptr;
  imports = nullptr;
  if (context.device != VK_NULL_HANDLE) context.vk.vkDestroyDevice(context.device, nullptr);
}

// A device that does not come to an end keeps its objects and memory: freeing them under it is not allowed, and
// waiting for ever would hang the host.
DeviceImpl::~DeviceImpl() {
  core_->pipelines->close();
  if (core_->imports) core_->imports->close();
  if (!core_->lanes->stop(kPatience)) static_cast<void>(core_.release());
}

Status DeviceImpl::check_alive() const {
  if (lost_.load(std::memory_order_relaxed) || core_->lanes->lost())
    return fail(ErrorClass::DeviceLost, "the device was lost");
  return {};
}

Result<std::unique_ptr<Pipeline>> DeviceImpl::make_pipeline(const PipelineDescription& description) {
  KEM_CHECK(check_alive());
  const uint64_t id = next_pipeline_.fetch_add(1, std::memory_order_relaxed);
  KEM_TRY(std::shared_ptr<PipelineState> state,
          noting_loss(make_pipeline_state(core_->context, core_->pipelines->handle(), id, description)));
  core_->pipelines->changed();
  return std::make_unique<PipelineHandle>(std::move(state));
}

Result<RunTimes> Device::run(const Pipeline& pipeline, std::span<const Argument> arguments, const Dispatch& dispatch) {
  Waiter waiter;
  KEM_TRY(const bool running, start(pipeline, arguments, dispatch, waiter));
  return running ? waiter.wait() : RunTimes{};
}

Result<bool> Device::start(const Pipeline& pipeline, std::span<const Argument> arguments, const Dispatch& dispatch,
                           Completion& completion) {
  const Step step{&pipeline, arguments, dispatch.workgroups, dispatch.immediates};
  return start({&step, 1},
               {dispatch.deadline, dispatch.cancelled, dispatch.patience, dispatch.escort, dispatch.lender,
                dispatch.prepared_only},
               completion);
}

const std::shared_ptr<PipelineState>* DeviceImpl::own(const Pipeline* pipeline) const {
  const auto* const handle = dynamic_cast<const PipelineHandle*>(pipeline);
  return handle == nullptr || handle->state()->context != &core_->context ? nullptr : &handle->state();
}

Status DeviceImpl::check(const Step& step, PlannedStep& planned) const {
  const auto* const state = own(step.pipeline);
  if (state == nullptr) return fail(foreign_pipeline());
  KEM_CHECK(check_arguments(**state, step.arguments));
  KEM_TRY(planned.grid, checked_grid(**state, step.workgroups, limits()));
  if (step.immediates.size() > (*state)->immediate_bytes)
    return fail(ErrorClass::InvalidArgument, std::to_string(step.immediates.size()) +
                                                 " bytes of immediates: the pipeline has " +
                                                 std::to_string((*state)->immediate_bytes));
  planned.pipeline = *state;
  planned.arguments = step.arguments;
  planned.immediates = step.immediates;
  planned.independent = step.independent;
  return {};
}

// Steps of no workgroups are left out, as nothing can depend on what they do.
Result<PlannedSteps> DeviceImpl::plan(std::span<const Step> steps) const {
  PlannedSteps planned(&core_->memory);
  planned.reserve(steps.size());
  for (const Step& step : steps) {
    KEM_CHECK(check(step, planned.emplace_back()));
    if (planned.back().workgroups() != 0) continue;
    planned.pop_back();
    for (const Argument& argument : step.arguments)
      if (argument.resident != nullptr && !(argument.initial.empty() && argument.result.empty()))
        return fail(ErrorClass::InvalidArgument, "a step of no workgroups moves no bytes of a resident buffer");
    copy_initial(step.arguments);
  }
  return planned;
}

// Finds imports for the results that are lent pages. False: there could be one, but making it takes too long.
bool DeviceImpl::deliver(PlannedSteps& steps, bool at_once) {
  if (core_->imports == nullptr) return true;
  for (PlannedStep& step : steps) {
    for (size_t i = 0; i < step.arguments.size() && step.delivery == nullptr; ++i) {
      const Argument& argument = step.arguments[i];
      if (!argument.lent || argument.pages == nullptr || argument.resident != nullptr) continue;
      auto import = core_->imports->get(*argument.pages, argument.result.size(), at_once);
      if (!import) return false;
      step.delivery = std::move(*import);
      step.delivered = i;
    }
  }
  return true;
}

Result<bool> DeviceImpl::start(std::span<const Step> steps, const Terms& terms, Completion& completion) {
  KEM_CHECK(check_alive());
  const auto begin = Clock::now();
  KEM_TRY(PlannedSteps planned, plan(steps));
  KEM_CHECK(check_time(terms, begin));
  if (planned.empty() || !deliver(planned, terms.prepared_only)) return false;
  std::optional<SlotLease> slot = core_->slots->take_prepared(planned);
  if (slot) {
    if (core_->imports != nullptr) KEM_CHECK((*slot)->redirect(planned));
  } else {
    if (terms.prepared_only) return false;
    KEM_TRY(slot, noting_loss(prepared_slot(planned)));
  }
  std::unique_ptr<Flight> flight(new (core_->memory) Flight(std::move(*slot), std::move(planned), terms,
                                                            limits().max_workgroup_count, completion));
  Lane& lane = core_->lanes->pick(core_->lanes->are_all_alike() || flight->is_brief());
  Status uploaded = upload(lane, *flight);
  flight->started = Clock::now();
  flight->times.upload = flight->started - begin;
  return noting_loss(start_uploaded(lane, std::move(uploaded), std::move(flight)));
}

Status DeviceImpl::upload(Lane& lane, Flight& flight) {
  const auto submit = [&](VkCommandBuffer commands) -> Status {
    if (core_->copies == nullptr) return lane.submit(core_->context, commands, VK_NULL_HANDLE);
    const auto submitted = core_->copies->up().submit({&commands, 1}, {});
    KEM_VK("vkQueueSubmit", submitted.result);
    flight.uploaded = core_->copies->up().point(submitted.first);
    return {};
  };
  return flight.slot->upload(flight.steps, core_->copier, std::cref(submit));  // by reference: no allocation
}

std::chrono::nanoseconds DeviceImpl::cost(const Pipeline& pipeline) const {
  const auto* const state = own(&pipeline);
  return state == nullptr ? std::chrono::nanoseconds(0) : (*state)->pace.latest();
}

Result<bool> DeviceImpl::start_uploaded(Lane& lane, Status status, std::unique_ptr<Flight> flight) {
  if (status) status = flight->record();
  if (status) status = lane.start(flight);
  if (status) return true;
  if (flight->slot->uploads_in_pieces()) {  // they are the slot's
    if (core_->copies != nullptr)
      core_->copies->up().drain(core_->context);
    else
      lane.drain(core_->context);
  }
  return fail(std::move(status).error());
}

// Memory that free slots keep may be what is missing.
Result<SlotLease> DeviceImpl::prepared_slot(const PlannedSteps& steps) {
  KEM_TRY(SlotLease slot, core_->slots->take_any());
  Status prepared = slot->prepare(steps);
  if (!prepared && prepared.error().error_class == ErrorClass::OutOfMemory) {
    core_->slots->trim();
    slot->trim();
    prepared = slot->prepare(steps);
  }
  if (!prepared) {
    slot->trim();
    return fail(std::move(prepared).error());
  }
  return slot;
}

// What measure_empty_submit repeats: a submission and a wait in the way that is quickest on this device.
Status DeviceImpl::submit_and_wait(Lane& lane, VkCommandBuffer commands, const Fence& fence) {
  const Context& context = core_->context;
  KEM_CHECK(lane.submit(context, commands, fence.get()));
  const auto begin = Clock::now();
  VkResult result = VK_NOT_READY;
  const bool beside = lane.queue_runs_beside_submitter();
  const auto polling = beside ? kShort : context.spin;
  while (result == VK_NOT_READY && Clock::now() - begin < polling) {
    if (beside) sched_yield();
    result = context.vk.vkGetFenceStatus(context.device, fence.get());
  }
  if (result == VK_NOT_READY)
    result = context.vk.vkWaitForFences(context.device, 1, fence.address(), VK_TRUE,
                                        std::chrono::nanoseconds(kPatience).count());
  KEM_VK("waiting for a fence", result);
  KEM_VK("vkResetFences", context.vk.vkResetFences(context.device, 1, fence.address()));
  return {};
}

Result<std::chrono::nanoseconds> DeviceImpl::measure_empty_submit(int rounds) {
  KEM_CHECK(check_alive());
  if (rounds < 1) return fail(ErrorClass::InvalidArgument, "a measurement needs a round");
  KEM_TRY(SlotLease slot, core_->slots->take_blank());
  KEM_CHECK(slot->record_nothing());
  KEM_TRY(const Fence fence, make_fence(core_->context));
  std::vector<std::chrono::nanoseconds> times;
  times.reserve(static_cast<size_t>(rounds));
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    const Status status = submit_and_wait(core_->lanes->first(), slot->commands(), fence);
    times.push_back(Clock::now() - begin);
    if (!status) {
      lost_.store(true, std::memory_order_relaxed);  // it may run for ever: the slot cannot be used again
      return fail(status.error());
    }
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<size_t>(rounds / 2)];
}

}  // namespace kem::vulkan
