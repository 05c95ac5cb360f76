// What happens to a task, and to the preparation of a kernel, stage by stage.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/digest.h"
#include "core/engine.h"
#include "core/guard.h"
#include "core/plan.h"
#include "core/stopwatch.h"

namespace kem::core {
namespace {

constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kLoopBudgetConstant = 0, kLoopGroupConstant = 1;
// What a submitter copies itself takes as long as waking another thread.
constexpr size_t kMostAtOnce = 64u << 10;

// Iterations that a kernel may run: what the configuration says, within what the device runs rightly. A margin is
// left, as the device may count more than the kernel does.
uint32_t loop_budget(const Config& config, const vulkan::DeviceLimits& limits) {
  const uint32_t most = limits.max_loop_iterations;
  const uint32_t right = most == 0 ? kUnlimited : most - most / 64;
  return std::min(config.loop_budget.value_or(kUnlimited), right);
}

// Invocations whose iterations the device counts together, where that can matter within the budget.
uint32_t loop_group(const Config& config, const vulkan::DeviceLimits& limits) {
  const uint64_t most = limits.max_loop_iterations;
  const uint64_t group = std::max(limits.subgroup_size, 1u);
  return most == 0 || loop_budget(config, limits) * group <= most - most / 64 ? 1 : static_cast<uint32_t>(group);
}

void describe(Preparation& preparation, const Wanted& kernel) {
  if (kernel.txid != nullptr) preparation.txid = *kernel.txid;
  preparation.source = kernel.text;
  preparation.entry_point = kernel.entry_point;
  preparation.constants.assign(kernel.constants.begin(), kernel.constants.end());
}

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
  if (job->image || job->input.size() > kMostAtOnce || (text != nullptr && text->wgsl.size() > kMostAtOnce)) return {};
  return key_of(wanted(*job));
}

// Whether the submitter may start the task itself.
bool EngineImpl::can_start(Task& task, const std::string& key) {
  if (!key.empty()) return find_ready(key, task.ready);
  auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  return chain != nullptr && (*chain)->brief && !(*chain)->chain.order.empty() && task.traffic.input <= kMostAtOnce &&
         has_turn(task) && find_all_ready(**chain);
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
    return find_all_ready(**chain);
  }
  if (task.ready.executable) return true;
  const std::string key = key_of(wanted_by(task.work));
  const Lock lock(mutex_);
  return find_ready(key, task.ready);
}

bool EngineImpl::find_ready(const std::string& key, Ready& into) {
  const Ready* found = ready_.find(key);
  if (found == nullptr || found->executable->device->lost) return false;
  into = *found;
  return true;
}

bool EngineImpl::find_all_ready(ChainWork& work) {
  bool all = true;
  for (size_t i = 0; i < work.ready.size(); ++i) {
    all = (work.ready[i].executable || find_ready(work.keys[i], work.ready[i])) && all;
  }
  return all;
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
      const ChainWork& work = **chain;
      for (size_t i = 0; i < work.keys.size(); ++i) {
        if (!work.ready[i].executable) join_preparation(task, work.keys[i], wanted(work.chain.kernels[i]), started);
      }
    } else {
      const Wanted kernel = wanted_by(task.work);
      join_preparation(task, key_of(kernel), kernel, started);
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

void EngineImpl::join_preparation(Task& task, const std::string& key, const Wanted& kernel,
                                  std::vector<std::shared_ptr<Preparation>>& started) {
  if (Ready ready; find_ready(key, ready)) return;
  std::shared_ptr<Preparation>& preparation = preparations_[key];
  if (!preparation) {
    preparation = std::make_shared<Preparation>();
    describe(*preparation, kernel);
    preparation->key = key;
    started.push_back(preparation);
  }
  // A chain may have one kernel under two ids, or twice.
  if (std::find(task.preparations.begin(), task.preparations.end(), preparation) != task.preparations.end()) return;
  preparation->waiters.push_back(task.id);
  task.preparations.push_back(preparation);
}

void EngineImpl::begin(const std::shared_ptr<Preparation>& preparation) {
  Status posted = run_guarded([&]() -> Status {
    const bool fetched = preparation->txid.empty();
    WorkPool& pool = fetched ? compilers_ : fetchers_;
    if (pool.post([this, preparation, fetched] { fetched ? compile(preparation) : fetch(preparation); })) return {};
    return fail(ErrorClass::Busy, "too many kernels are being made ready: try again later");
  });
  if (!posted) complete(*preparation, fail(std::move(posted).error()));
}

void EngineImpl::fetch(const std::shared_ptr<Preparation>& preparation) {
  Status status = run_guarded([&]() -> Status {
    Stopwatch watch;
    KEM_TRY(auto kernel, parts_.fetcher->fetch(preparation->txid, &preparation->abandoned));
    preparation->times.fetch = watch.lap();
    preparation->source = std::move(kernel.source);
    preparation->origin = std::move(kernel.origin);
    if (compilers_.post([this, preparation] { compile(preparation); })) return {};
    return fail(ErrorClass::Busy, "too many kernels are being compiled: try again later");
  });
  if (!status) complete(*preparation, fail(std::move(status).error()));
}

void EngineImpl::compile(const std::shared_ptr<Preparation>& preparation) {
  complete(*preparation, run_guarded([&] { return make_ready(*preparation); }));
}

Result<Ready> EngineImpl::make_ready(Preparation& preparation) {
  if (preparation.abandoned) return fail(ErrorClass::Cancelled, "nobody waits for the kernel any more");
  KEM_TRY(auto device, device_.wait());
  const Sha256 digest = sha256(preparation.source);
  const std::string key = text_key(digest, preparation.entry_point, preparation.constants);
  {
    const Lock lock(mutex_);  // the same text may be ready under another id
    const Ready* found = ready_.find(key);
    if (found != nullptr && !found->executable->device->lost) return Ready{found->executable, preparation.origin};
  }
  const ShaderRequest request{preparation.source, digest, preparation.entry_point, preparation.constants,
                              options_for(*device)};
  KEM_TRY(auto shader, parts_.compiler->compile(request, preparation.times));
  Stopwatch watch;
  KEM_TRY(auto pipeline, make_pipeline(*device, shader));
  preparation.times.pipeline = watch.lap();
  auto executable = std::make_shared<const Executable>(
      Executable{std::move(device), std::move(pipeline), std::move(shader.reflection), std::move(shader.warnings)});
  const Lock lock(mutex_);
  ready_.insert(key, Ready{executable, preparation.origin});
  return Ready{std::move(executable), preparation.origin};
}

Result<std::unique_ptr<vulkan::Pipeline>> EngineImpl::make_pipeline(const OpenDevice& device,
                                                                    const CompiledShader& shader) const {
  const wgsl::Reflection& reflection = shader.reflection;
  std::vector<vulkan::LayoutBinding> layout;
  for (const wgsl::Binding& binding : reflection.bindings) {
    layout.push_back({binding.group, binding.binding, buffer_kind(binding.kind)});
  }
  std::vector<vulkan::PipelineDescription::Specialization> specializations;
  if (reflection.trap) {
    layout.push_back({reflection.trap->group, reflection.trap->binding, vulkan::BufferKind::StorageReadWrite});
    specializations.push_back({kLoopBudgetConstant, loop_budget(config_, device.device->limits())});
    specializations.push_back({kLoopGroupConstant, loop_group(config_, device.device->limits())});
  }
  vulkan::PipelineDescription description;
  description.spirv = shader.spirv;
  description.bindings = layout;
  description.push_constant_bytes = wgsl::Reflection::kPushConstantBytes + reflection.immediate_bytes;
  description.subgroup_size = reflection.subgroup_size;
  const auto& size = reflection.workgroup_size;
  const vulkan::DeviceLimits& limits = device.device->limits();
  if (reflection.subgroup_size != 0 &&
      uint64_t{size[0]} * size[1] * size[2] > uint64_t{limits.max_workgroup_subgroups} * reflection.subgroup_size) {
    return fail(ErrorClass::UnsupportedKernel, "the workgroup has more than " +
                                                   std::to_string(limits.max_workgroup_subgroups) +
                                                   " subgroups, the most on this device for a chosen size");
  }
  description.specializations = specializations;
  return device.device->make_pipeline(description);
}

// Hands the outcome to every task that still waits: back to the executor, or to its end.
void EngineImpl::complete(Preparation& preparation, Result<Ready> result) {
  const Lock lock(mutex_);
  if (result) ready_.insert(preparation.key, *result);
  // An abandoned preparation has left the map already, and its key may be another's by now.
  const auto found = preparations_.find(preparation.key);
  if (found != preparations_.end() && found->second.get() == &preparation) preparations_.erase(found);
  for (const JobId id : std::exchange(preparation.waiters, {})) {
    Task& task = *tasks_.at(id);
    std::erase_if(task.preparations, [&](const auto& awaited) { return awaited.get() == &preparation; });
    if (!result) {
      end_waiting(task, result.error());
      continue;
    }
    if (auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
      (*chain)->accept(preparation.key, *result);
    } else {
      task.ready = *result;
    }
    task.times.add(preparation.times);
    if (task.preparations.empty()) queue_.push_back(id);
  }
  executor_wake_.notify_one();
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
  KEM_TRY(CallPlan plan, plan_call(call, executable.reflection, config_.limits, executable.device->device->limits()));
  vulkan::Argument& output = plan.arguments[plan.output_argument];
  if (task.image) {
    if (plan.output_bytes != call.input.size()) {
      return fail(ErrorClass::InvalidArgument, "an image's output must have the size of its pixels");
    }
    task.pixels.resize(plan.output_bytes);
    output.result = task.pixels;
  } else {
    Lending lending(*task.client, executable.device->device->limits().least_lent_bytes);
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
  // Only a loss brings another device.
  if (std::any_of(work.ready.begin(), work.ready.end(), [&](const Ready& r) { return lost(r.executable->device); }) ||
      std::any_of(task.held.begin(), task.held.end(), [&](const Held& h) { return lost(h.buffer->device); })) {
    return fail(ErrorClass::DeviceLost, "the device was lost while the job waited");
  }
  Lending lending(*task.client, device->device->limits().least_lent_bytes);
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
  KEM_CHECK(check_immediates(immediates_of(task), executable.reflection));
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&task.work)) {
    const BindingJob& job = **bindings;
    KEM_CHECK(check_workgroups(job.workgroups, executable.reflection.workgroup_size));
    KEM_TRY(task.arguments, plan_bindings(job, executable.reflection, executable.device->device->limits()));
    task.workgroups = job.workgroups;
  } else {
    KEM_TRY(task.workgroups, plan_job(task, std::get<Job>(task.work)));
  }
  if (const auto& trap = executable.reflection.trap) {
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

OpenDevice& EngineImpl::device_of(const Task& task) {
  const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  return *(chain != nullptr ? (*chain)->ready.front() : task.ready).executable->device;
}

// `at_once`: by its submitter, only if the device is prepared for it. An executor may escort it.
Result<bool> EngineImpl::start_planned(Task& task, std::chrono::nanoseconds patience, bool at_once) {
  const std::chrono::nanoseconds since = Clock::now() - task.submitted;
  const StageTimes& times = task.times;
  const auto waited = since - times.fetch - times.front_end - times.spirv - times.pipeline;
  task.times.queue = std::max(waited, std::chrono::nanoseconds::zero());
  OpenDevice& device = device_of(task);
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
  device_.lose(device);
  const Lock lock(mutex_);
  ready_.clear();
}

Result<Report> EngineImpl::outcome(Task& task, const Result<vulkan::RunTimes>& result) {
  if (!result) {
    note_loss(device_of(task), result.error());
    return fail(result.error());
  }
  task.times.upload = result->upload;
  task.times.execute = result->execute;
  task.times.readback = result->readback;
  const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work);
  if (chain != nullptr ? (*chain)->trapped() : task.trap != decltype(task.trap){}) {
    return fail(ErrorClass::LoopBudgetExhausted,
                "the kernel's loops ran past their budget of " +
                    std::to_string(loop_budget(config_, device_of(task).device->limits())) +
                    " iterations in one invocation");
  }
  return report_of(task);
}

Report EngineImpl::report_of(const Task& task) const {
  if (const auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) {
    return {task.times, (*chain)->origin(), (*chain)->warnings()};
  }
  return {task.times, task.ready.origin, task.ready.executable->warnings};
}

wgsl::Options EngineImpl::options_for(const OpenDevice& device) const {
  const vulkan::DeviceLimits& limits = device.device->limits();
  wgsl::Options options{config_.limits, features_of(limits), config_.language_extensions};
  options.count_loops = config_.count_loops.value_or(loop_budget(config_, limits) != kUnlimited);
  // The drivers that end loops silently are those that also compile constant arrays slowly (docs/conformance.md).
  options.slow_array_constants = limits.max_loop_iterations != 0;
  options.misread_loop_exits = limits.misreads_loop_exits;
  return options;
}

}  // namespace kem::core
