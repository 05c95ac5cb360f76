// What happens to a task, and to the preparation of a kernel, stage by stage.
#include <algorithm>
#include <cstring>

#include "core/engine.h"
#include "core/guard.h"
#include "core/plan.h"

namespace kem::core {
namespace {

// What a submitter copies itself takes as long as waking another thread: 30 us, and 60 where the host is a virtual
// machine (docs/performance.md).
constexpr size_t kMostAtOnce = 256u << 10;
// A text is hashed before anything else.
constexpr size_t kLongestAtOnce = 64u << 10;

// Of work that wants one kernel.
Wanted wanted_by(const Work& work) {
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&work)) return wanted(**bindings);
  return wanted(std::get<Job>(work));
}

Status check_id(const Wanted& kernel) {
  return kernel.txid != nullptr ? arweave::check_kernel_id(*kernel.txid) : Status();
}

// What can be refused without the kernel, before anything is fetched or compiled for it.
Status check_early(const Work& work, const Limits& limits) {
  if (const auto* job = std::get_if<Job>(&work)) {
    KEM_CHECK(check_id(wanted(*job)));
    return check_call(call_of(*job), limits);
  }
  if (const auto* chain = std::get_if<std::unique_ptr<ChainWork>>(&work)) {
    for (const Chain::Kernel& kernel : (*chain)->chain.kernels) KEM_CHECK(check_id(wanted(kernel)));
  }
  return {};
}

Status check_image(const Image& image, const Job& job) {
  if (!job.params) return {};
  KEM_TRY(const Extent extent, extent_of(job.params));
  if (extent.width == image.width && extent.height == image.height) return {};
  return fail(ErrorClass::InvalidParams, "the params tell " + std::to_string(extent.width) + " × " +
                                             std::to_string(extent.height) + " pixels, but the image has " +
                                             std::to_string(image.width) + " × " + std::to_string(image.height));
}

}  // namespace

// The key of work that its submitter may start itself, if it turns out to be warm: nothing in it takes longer than
// the wake of another thread would. Empty for other work, and for chains, which have several.
std::string EngineImpl::at_once_key(const Work& work) {
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&work)) return key_of(wanted(**bindings));
  const auto* job = std::get_if<Job>(&work);
  if (job == nullptr) return {};
  const auto* text = std::get_if<KernelText>(&job->kernel);
  if (job->image || job->input.size() > kMostAtOnce || (text != nullptr && text->wgsl.size() > kLongestAtOnce))
    return {};
  return key_of(wanted(*job));
}

// Whether the device may use the client's memory for it, which takes some preparing in every call.
bool EngineImpl::is_lent(const Task& task) {
  const vulkan::DeviceLimits& limits = task.ready.executable->device->device->limits();
  return task.traffic.input >= limits.least_lent_bytes || task.traffic.output >= limits.least_lent_result_bytes;
}

// Whether the submitter may start the task itself.
bool EngineImpl::can_start(Task& task, const std::string& key) {
  if (!key.empty()) return find_ready(key, task) && !is_lent(task);
  auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  return chain != nullptr && (*chain)->brief && !(*chain)->chain.order.empty() && task.traffic.input <= kMostAtOnce &&
         has_turn(task) && find_all_ready(task, **chain);
}

void Task::ended(Result<vulkan::RunTimes> result) noexcept { engine.landed(*this, std::move(result)); }

// One look at a task by an executor: start it, or hand it to whoever makes ready what it lacks.
void EngineImpl::step(Task& task) {
  if (!alive(task)) return;
  if (const auto* access = std::get_if<Access>(&task.work)) {
    if (wait_for_turn(task)) perform(task, *access);
    return;
  }
  const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  if (chain != nullptr && (*chain)->chain.order.empty()) return finish(task, report_of(task));
  if (!look_up(task)) return wait_for_preparations(task);
  const auto* job = std::get_if<Job>(&task.work);
  if (job != nullptr && job->image && !task.image && is_image(job->input)) return post(task, &EngineImpl::decode_input);
  if (wait_for_turn(task)) start(task);
}

// Whether every kernel of the task is ready.
bool EngineImpl::look_up(Task& task) {
  if (auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
    (*chain)->name_kernels();
    const Lock lock(mutex_);
    return find_all_ready(task, **chain);
  }
  if (task.ready.executable) return true;
  const std::string key = key_of(wanted_by(task.work));
  const Lock lock(mutex_);
  return find_ready(key, task);
}

// The kernel of a task that has one, on the device that it is going to run on.
bool EngineImpl::find_ready(const std::string& key, Task& task) {
  const bool found = kernels_.find(key, task.spot, task.ready);
  if (const auto wish = std::exchange(task.spot.wish, {})) prepare_for_others(key, wanted_by(task.work), *wish);
  if (found) kernels_.enter(task.spot, *task.ready.executable->device, task.traffic.sum());
  return found;
}

bool EngineImpl::find_all_ready(Task& task, ChainWork& work) {
  const bool found = kernels_.find_all(work.keys, task.spot, work.ready);
  if (const auto wish = std::exchange(task.spot.wish, {})) {
    for (size_t i = 0; i < work.keys.size(); ++i) {
      prepare_for_others(work.keys[i], wanted(work.chain.kernels[i]), *wish);
    }
  }
  if (found) kernels_.enter(task.spot, *work.ready.front().executable->device, task.traffic.sum());
  return found;
}

void EngineImpl::wait_for_preparations(Task& task) {
  warm_up();
  if (Status checked = check_early(task.work, config_.limits); !checked) {
    return finish(task, fail(std::move(checked).error()));
  }
  std::vector<std::shared_ptr<Preparation>> started;
  {
    const Lock lock(mutex_);
    if (auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
      ChainWork& work = **chain;
      static_cast<void>(find_all_ready(task, work));
      for (size_t i = 0; i < work.keys.size(); ++i) {
        if (!work.ready[i].executable) join_preparation(task, work.keys[i], wanted(work.chain.kernels[i]), started);
      }
    } else {
      const Wanted kernel = wanted_by(task.work);
      const std::string key = key_of(kernel);
      if (!find_ready(key, task)) join_preparation(task, key, kernel, started);
    }
    task.state = Task::State::Waiting;
    if (task.preparations.empty()) {  // they have become ready since they were looked up
      queue_.push_back(task.id);
      executor_wake_.notify_one();
      return;
    }
    watch(task.deadline);
    if (stopping_ || task.cancelled) end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
  }
  // From here on the task may be gone.
  for (const auto& preparation : started) begin(preparation);
}

// Runs the stage on a compiler thread. The task may be gone when this returns.
void EngineImpl::post(Task& task, void (EngineImpl::*stage)(Task&)) {
  const JobId id = task.id;
  {
    const Lock lock(mutex_);
    task.state = Task::State::Waiting;
    watch(task.deadline);
    if (stopping_ || task.cancelled) return end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
  }
  const auto work = [this, id, stage] {
    if (Task* mine = activate(id)) guard(*mine, [&] { (this->*stage)(*mine); });
  };
  if (compilers_.post(work)) return;
  if (Task* mine = activate(id)) finish(*mine, fail(ErrorClass::Busy, "too many images wait: try again later"));
}

void EngineImpl::decode_input(Task& task) {
  auto image = decode_image(std::get<Job>(task.work).input, config_.limits.input_bytes);
  if (!image) return finish(task, fail(std::move(image).error()));
  // The pixels, and as many of the output: what an encoded input promised has been counted.
  const Traffic decoded{image->rgba.size(), image->rgba.size()};
  Status admitted;
  {
    const Lock lock(mutex_);
    admitted = admit(decoded);
    if (admitted) {
      in_flight_bytes_ += decoded.sum();
      if (task.spot.load != nullptr) task.spot.load->bytes += decoded.sum();
      task.traffic.input += decoded.input;
      task.traffic.output += decoded.output;
    }
  }
  if (!admitted) return finish(task, fail(std::move(admitted).error()));
  task.image = std::move(*image);
  requeue(task);
}

void EngineImpl::encode_output(Task& task) {
  const auto png = encode_png(task.image->width, task.image->height, task.pixels);
  if (!png) return finish(task, fail(png.error()));
  const std::span<uint8_t> memory = task.client->allocate_output(png->size());
  if (memory.size() != png->size()) return finish(task, fail(ErrorClass::OutOfMemory, "no memory for the output"));
  std::copy(png->begin(), png->end(), memory.begin());
  finish(task, report_of(task));
}

Result<std::array<uint64_t, 3>> EngineImpl::plan_job(Task& task, const Job& job) {
  const Executable& executable = *task.ready.executable;
  Call call = call_of(job);
  if (task.image) {
    KEM_CHECK(check_image(*task.image, job));
    call.input = task.image->rgba;
  }
  KEM_TRY(CallPlan plan, plan_call(call, executable.shader->reflection, config_.limits,
                                   executable.device->device->limits(), &memory_));
  vulkan::Argument& output = plan.arguments[plan.output_argument];
  if (task.image) {
    if (plan.output_bytes != call.input.size()) {
      return fail(ErrorClass::InvalidArgument, "an image's output must have the size of its pixels");
    }
    task.pixels.resize(plan.output_bytes);
    output.result = task.pixels;
  } else {
    Lending lending(*task.client, executable.device->device->limits());
    lending.lend_inputs(plan.arguments);
    KEM_CHECK(lending.allocate_result(output, plan.output_bytes));
    task.lender = lending.lender();
  }
  task.arguments = std::move(plan.arguments);
  return plan.workgroups;
}

Status EngineImpl::plan_work(Task& task, ChainWork& work) {
  const auto& device = work.ready.front().executable->device;
  const auto lost = [&](const std::shared_ptr<OpenDevice>& other) { return other != device || device->lost; };
  // They were all found on one device: only a loss brings another.
  if (std::any_of(work.ready.begin(), work.ready.end(), [&](const Ready& r) { return lost(r.executable->device); }) ||
      std::any_of(task.held.begin(), task.held.end(), [&](const Held& h) { return lost(h.buffer->device); })) {
    return fail(ErrorClass::DeviceLost, "the device was lost while the job waited");
  }
  Lending lending(*task.client, device->device->limits());
  KEM_CHECK(plan_chain(work, config_.limits, lending));
  task.lender = lending.lender();
  return {};
}

// Sizes, buffers and workgroups, unless they are known already.
Status EngineImpl::plan_task(Task& task) {
  if (task.planned) return {};
  if (auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
    KEM_CHECK(plan_work(task, **chain));
    task.planned = true;
    return {};
  }
  const Executable& executable = *task.ready.executable;
  KEM_CHECK(check_immediates(immediates_of(task), executable.shader->reflection));
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&task.work)) {
    const BindingJob& job = **bindings;
    KEM_CHECK(check_workgroups(job.workgroups, executable.shader->reflection.workgroup_size));
    KEM_TRY(task.arguments,
            plan_bindings(job, executable.shader->reflection, executable.device->device->limits(), &memory_));
    task.workgroups = job.workgroups;
  } else {
    KEM_TRY(task.workgroups, plan_job(task, std::get<Job>(task.work)));
  }
  if (const auto& trap = executable.shader->reflection.trap) {
    task.arguments.push_back(
        {trap->group, trap->binding, vulkan::BufferKind::StorageReadWrite, task.trap.size(), {}, task.trap});
  }
  task.planned = true;
  return {};
}

std::span<const uint8_t> EngineImpl::immediates_of(const Task& task) {
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&task.work)) return (*bindings)->immediates;
  return std::get<Job>(task.work).immediates;
}

vulkan::Dispatch EngineImpl::dispatch_of(const Task& task) {
  vulkan::Dispatch dispatch;
  dispatch.workgroups = task.workgroups;
  dispatch.deadline = task.deadline;
  dispatch.cancelled = &task.cancelled;
  dispatch.immediates = immediates_of(task);
  return dispatch;
}

const Devices::Reference& EngineImpl::device_of(const Task& task) {
  const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  return (chain != nullptr ? (*chain)->ready.front() : task.ready).executable->device;
}

// `at_once`: by its submitter, only if the device is prepared for it. An executor may escort it.
Result<bool> EngineImpl::start_planned(Task& task, std::chrono::nanoseconds patience, bool at_once) {
  const std::chrono::nanoseconds since = Clock::now() - task.submitted;
  const StageTimes& times = task.times;
  const auto waited = since - times.fetch - times.front_end - times.spirv - times.pipeline;
  task.times.queue = std::max(waited, std::chrono::nanoseconds::zero());
  // The task may have ended before start() returns, and a lost device would go with it.
  const Devices::Reference held = device_of(task);
  OpenDevice& device = *held;
  if (const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
    return noting_loss(
        device,
        device.device->start((*chain)->steps,
                             {task.deadline, &task.cancelled, patience, !at_once, lender_of(task), at_once}, task));
  }
  vulkan::Dispatch dispatch = dispatch_of(task);
  dispatch.patience = patience;
  dispatch.escort = !at_once;
  dispatch.prepared_only = at_once;
  dispatch.lender = lender_of(task);
  return noting_loss(device, device.device->start(*task.ready.executable->pipeline, task.arguments, dispatch, task));
}

Result<bool> EngineImpl::noting_loss(OpenDevice& device, Result<bool> started) {
  if (!started) note_loss(device, started.error());
  return started;
}

// On an executor. The task may be gone when this returns.
void EngineImpl::start(Task& task) {
  if (Status planned = plan_task(task); !planned) return finish(task, fail(std::move(planned).error()));
  const auto running = start_planned(task, {}, false);
  if (!running) return finish(task, fail(running.error()));
  if (!*running) landed(task, vulkan::RunTimes{});
}

// On the submitter's thread, which is not to be kept for longer than it has patience: what the device is not prepared
// for goes to an executor, and an error is told by another thread. The task may be gone when this returns.
void EngineImpl::start_at_once(Task& task, std::chrono::nanoseconds patience) {
  const Result<bool> running = run_guarded([&]() -> Result<bool> {
    KEM_CHECK(plan_task(task));
    return start_planned(task, patience, true);
  });
  if (!running) {
    end_later(task, running.error());
  } else if (!*running) {
    requeue(task);
  }
}

// The end of a task that the device ran, or refused to. On the device's thread, an executor or a patient submitter.
void EngineImpl::landed(Task& task, Result<vulkan::RunTimes> result) noexcept {
  Result<Report> report = run_guarded([&] { return outcome(task, result); });
  if (!report || !task.image) return finish(task, std::move(report));
  guard(task, [&] { post(task, &EngineImpl::encode_output); });
}

void EngineImpl::note_loss(OpenDevice& device, const Error& error) {
  if (error.error_class != ErrorClass::DeviceLost) return;
  devices_.lose(device);
  const Lock lock(mutex_);
  kernels_.forget(device);
  next_care_ = {};
}

Result<Report> EngineImpl::outcome(Task& task, const Result<vulkan::RunTimes>& result) {
  if (!result) {
    note_loss(*device_of(task), result.error());
    return fail(result.error());
  }
  task.times.upload = result->upload;
  task.times.execute = result->execute;
  task.times.readback = result->readback;
  const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  if (chain != nullptr ? (*chain)->trapped() : task.trap != decltype(task.trap){}) {
    return fail(ErrorClass::LoopBudgetExhausted, "the kernel's loops ran past their budget of " +
                                                     std::to_string(loop_budget(*device_of(task))) +
                                                     " iterations in one invocation");
  }
  return report_of(task);
}

Report EngineImpl::report_of(const Task& task) const {
  if (const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
    const std::vector<Ready>& kernels = (*chain)->ready;
    const bool ran = !kernels.empty() && kernels.front().executable;
    return {task.times, (*chain)->origin(), (*chain)->warnings(), ran ? kernels.front().executable->device->index : 0};
  }
  const Executable& executable = *task.ready.executable;
  return {task.times, task.ready.origin, executable.shader->warnings, executable.device->index};
}

}  // namespace kem::core
