// What happens to a task, and to the preparation of a kernel, stage by stage.
#include <algorithm>
#include <bit>
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

// The part of a key after the kernel: entry point and constants, unambiguous because both have their lengths.
std::string pipeline_key(std::string_view entry_point, std::span<const wgsl::Constant> constants) {
  std::string key = " " + std::to_string(entry_point.size()) + ":";
  key += entry_point;
  for (const wgsl::Constant& constant : constants) {
    key += " " + std::to_string(constant.key.size()) + ":" + constant.key;
    key += "=" + std::to_string(std::bit_cast<uint64_t>(constant.value));
  }
  return key;
}

std::string text_key(const Sha256& digest, std::string_view entry_point, std::span<const wgsl::Constant> constants) {
  return "text " + hex(digest) + pipeline_key(entry_point, constants);
}

std::string key_of(const Job& job) {
  if (const auto* id = std::get_if<KernelId>(&job.kernel)) {
    return "id " + id->txid + pipeline_key(job.entry_point, job.constants);
  }
  return text_key(sha256(std::get<KernelText>(job.kernel).wgsl), job.entry_point, job.constants);
}

std::string key_of(const BindingJob* job) { return text_key(sha256(job->wgsl), job->entry_point, job->constants); }

void describe(Preparation& preparation, const Job& job) {
  if (const auto* id = std::get_if<KernelId>(&job.kernel)) preparation.txid = id->txid;
  if (const auto* text = std::get_if<KernelText>(&job.kernel)) preparation.source = text->wgsl;
  preparation.entry_point = job.entry_point;
  preparation.constants = job.constants;
}

void describe(Preparation& preparation, const BindingJob* job) {
  preparation.source = job->wgsl;
  preparation.entry_point = job->entry_point;
  preparation.constants = job->constants;
}

Call call_of(const Job& job) { return {job.input, job.params, job.output, job.dispatch}; }

// What can be refused without the kernel, before anything is fetched or compiled for it.
Status check_early(const Job& job, const Limits& limits) {
  if (const auto* id = std::get_if<KernelId>(&job.kernel)) KEM_CHECK(arweave::check_kernel_id(id->txid));
  return check_call(call_of(job), limits);
}
Status check_early(const BindingJob*, const Limits&) { return {}; }

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
// the wake of another thread would. Empty for other work.
std::string EngineImpl::at_once_key(const std::variant<Job, const BindingJob*>& work) {
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&work)) return key_of(*bindings);
  const Job& job = std::get<Job>(work);
  const auto* text = std::get_if<KernelText>(&job.kernel);
  if (job.image || job.input.size() > kMostAtOnce || (text != nullptr && text->wgsl.size() > kMostAtOnce)) return {};
  return key_of(job);
}

void Task::ended(Result<vulkan::RunTimes> result) noexcept { engine.landed(*this, std::move(result)); }

// One look at a task by an executor: start it, or hand it to whoever makes ready what it lacks.
void EngineImpl::step(Task& task) {
  if (!alive(task)) return;
  if (!task.ready.executable) {
    std::string key = std::visit([](const auto& work) { return key_of(work); }, task.work);
    if (!look_up(task, key)) return wait_for_preparation(task, std::move(key));
  }
  const auto* job = std::get_if<Job>(&task.work);
  if (job != nullptr && job->image && !task.image && is_image(job->input)) return post(task, &EngineImpl::decode_input);
  start(task);
}

bool EngineImpl::look_up(Task& task, const std::string& key) {
  const Lock lock(mutex_);
  return find_ready(task, key);
}

bool EngineImpl::find_ready(Task& task, const std::string& key) {
  const Ready* found = ready_.find(key);
  if (found == nullptr || found->executable->device->lost) return false;
  task.ready = *found;
  return true;
}

void EngineImpl::wait_for_preparation(Task& task, std::string key) {
  warm_up();
  Status checked = std::visit([&](const auto& work) { return check_early(work, config_.limits); }, task.work);
  if (!checked) return finish(task, fail(std::move(checked).error()));
  std::shared_ptr<Preparation> started;
  {
    const Lock lock(mutex_);
    if (find_ready(task, key)) {  // since it was looked up
      task.state = Task::State::Waiting;
      queue_.push_back(task.id);
      executor_wake_.notify_one();
      return;
    }
    std::shared_ptr<Preparation>& preparation = preparations_[key];
    if (!preparation) {
      started = std::make_shared<Preparation>();
      std::visit([&](const auto& work) { describe(*started, work); }, task.work);
      started->key = std::move(key);
      preparation = started;
    }
    preparation->waiters.push_back(task.id);
    task.preparation = preparation;
    task.state = Task::State::Waiting;
    watch(task.deadline);
    if (stopping_ || task.cancelled) end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
  }
  // From here on the task may be gone.
  if (!started) return;
  Status posted = run_guarded([&]() -> Status {
    const bool fetched = started->txid.empty();
    WorkPool& pool = fetched ? compilers_ : fetchers_;
    if (pool.post([this, started, fetched] { fetched ? compile(started) : fetch(started); })) return {};
    return fail(ErrorClass::Busy, "too many kernels are being made ready: try again later");
  });
  if (!posted) complete(*started, fail(std::move(posted).error()));
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
    task.preparation = nullptr;
    if (!result) {
      end_waiting(task, result.error());
      continue;
    }
    task.ready = *result;
    task.times = preparation.times;
    queue_.push_back(id);
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
  std::span<uint8_t> output;
  if (task.image) {
    if (plan.output_bytes != call.input.size()) {
      return fail(ErrorClass::InvalidArgument, "an image's output must have the size of its pixels");
    }
    task.pixels.resize(plan.output_bytes);
    output = task.pixels;
  } else {
    output = task.client->allocate_output(plan.output_bytes);
    if (output.size() != plan.output_bytes) return fail(ErrorClass::OutOfMemory, "no memory for the output");
  }
  plan.arguments[plan.output_argument].result = output;
  task.arguments = std::move(plan.arguments);
  return plan.workgroups;
}

// Sizes, buffers and workgroups, unless they are known already.
Status EngineImpl::plan_task(Task& task) {
  if (task.workgroups) return {};
  const Executable& executable = *task.ready.executable;
  KEM_CHECK(check_immediates(immediates_of(task), executable.reflection));
  std::array<uint64_t, 3> workgroups{};
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&task.work)) {
    const BindingJob& job = **bindings;
    KEM_CHECK(check_workgroups(job.workgroups, executable.reflection.workgroup_size));
    KEM_TRY(task.arguments, plan_bindings(job, executable.reflection, executable.device->device->limits()));
    workgroups = job.workgroups;
  } else {
    KEM_TRY(workgroups, plan_job(task, std::get<Job>(task.work)));
  }
  if (const auto& trap = executable.reflection.trap) {
    task.arguments.push_back(
        {trap->group, trap->binding, vulkan::BufferKind::StorageReadWrite, task.trap.size(), {}, task.trap});
  }
  task.workgroups = workgroups;
  return {};
}

std::span<const uint8_t> EngineImpl::immediates_of(const Task& task) {
  if (const auto* const* bindings = std::get_if<const BindingJob*>(&task.work)) return (*bindings)->immediates;
  return std::get<Job>(task.work).immediates;
}

vulkan::Dispatch EngineImpl::dispatch_of(const Task& task) {
  vulkan::Dispatch dispatch;
  dispatch.workgroups = *task.workgroups;
  dispatch.deadline = task.deadline;
  dispatch.cancelled = &task.cancelled;
  dispatch.immediates = immediates_of(task);
  return dispatch;
}

Result<bool> EngineImpl::start_planned(Task& task, const vulkan::Dispatch& dispatch) {
  const Executable& executable = *task.ready.executable;
  const std::chrono::nanoseconds since = Clock::now() - task.submitted;
  const StageTimes& times = task.times;
  const auto waited = since - times.fetch - times.front_end - times.spirv - times.pipeline;
  task.times.queue = std::max(waited, std::chrono::nanoseconds::zero());
  return executable.device->device->start(*executable.pipeline, task.arguments, dispatch, task);
}

// On an executor. The task may be gone when this returns.
void EngineImpl::start(Task& task) {
  if (Status planned = plan_task(task); !planned) return finish(task, fail(std::move(planned).error()));
  vulkan::Dispatch dispatch = dispatch_of(task);
  dispatch.escort = true;
  const auto running = start_planned(task, dispatch);
  if (!running) return landed(task, fail(running.error()));
  if (!*running) landed(task, vulkan::RunTimes{});
}

// On the submitter's thread, which is not to be kept for longer than it has patience: what the device is not prepared
// for goes to an executor, and an error is told by another thread. The task may be gone when this returns.
void EngineImpl::start_at_once(Task& task, std::chrono::nanoseconds patience) {
  const Result<bool> running = run_guarded([&]() -> Result<bool> {
    KEM_CHECK(plan_task(task));
    const Executable& executable = *task.ready.executable;
    vulkan::Dispatch dispatch = dispatch_of(task);
    if (!executable.device->device->prepared(*executable.pipeline, task.arguments, dispatch)) return false;
    dispatch.patience = patience;
    return start_planned(task, dispatch);
  });
  if (!running) {
    note_loss(task, running.error());
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

void EngineImpl::note_loss(const Task& task, const Error& error) {
  if (error.error_class != ErrorClass::DeviceLost) return;
  device_.lose(*task.ready.executable->device);
  const Lock lock(mutex_);
  ready_.clear();
}

Result<Report> EngineImpl::outcome(Task& task, const Result<vulkan::RunTimes>& result) {
  if (!result) {
    note_loss(task, result.error());
    return fail(result.error());
  }
  task.times.upload = result->upload;
  task.times.execute = result->execute;
  task.times.readback = result->readback;
  if (task.trap != decltype(task.trap){}) {
    return fail(ErrorClass::LoopBudgetExhausted,
                "the kernel's loops ran past their budget of " +
                    std::to_string(loop_budget(config_, task.ready.executable->device->device->limits())) +
                    " iterations in one invocation");
  }
  return report_of(task);
}

Report EngineImpl::report_of(const Task& task) const {
  return {task.times, task.ready.origin, task.ready.executable->warnings};
}

wgsl::Options EngineImpl::options_for(const OpenDevice& device) const {
  const vulkan::DeviceLimits& limits = device.device->limits();
  wgsl::Options options{config_.limits, features_of(limits), config_.language_extensions};
  options.count_loops = config_.count_loops.value_or(loop_budget(config_, limits) != kUnlimited);
  // The drivers that end loops silently are those that also compile constant arrays slowly (docs/conformance.md).
  options.slow_array_constants = limits.max_loop_iterations != 0;
  return options;
}

}  // namespace kem::core
