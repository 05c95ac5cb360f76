// Making kernels ready: fetch, front-end, glslang, pipeline.
#include <algorithm>
#include <limits>

#include "base/digest.h"
#include "core/engine.h"
#include "core/guard.h"
#include "core/plan.h"
#include "core/shader_record.h"
#include "core/stopwatch.h"

namespace kem::core {
namespace {

constexpr uint32_t kUnlimited = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kLoopBudgetConstant = 0, kLoopGroupConstant = 1;

// Of a preparation among the others: one for each device, and one for any.
std::string name_of(const std::string& key, std::optional<size_t> device) {
  return device ? key + " on " + std::to_string(*device) : key;
}

// What is not the kernel's fault or the caller's but a device's: another one may do better.
bool is_of_device(ErrorClass error) {
  return error == ErrorClass::UnsupportedKernel || error == ErrorClass::NoDevice || error == ErrorClass::DeviceLost ||
         error == ErrorClass::OutOfMemory;
}

// What another attempt on the same device may do better.
bool is_passing(ErrorClass error) {
  return error == ErrorClass::NoDevice || error == ErrorClass::DeviceLost || error == ErrorClass::Busy ||
         error == ErrorClass::Cancelled;
}

Wanted wanted(const Preparation& preparation) {
  return {preparation.txid.empty() ? nullptr : &preparation.txid, preparation.source, preparation.entry_point,
          preparation.constants};
}

std::shared_ptr<Preparation> make_preparation(const std::string& key, const Wanted& kernel,
                                              std::optional<size_t> device) {
  auto preparation = std::make_shared<Preparation>();
  preparation->key = key;
  preparation->name = name_of(key, device);
  preparation->device = device;
  if (kernel.txid != nullptr) preparation->txid = *kernel.txid;
  preparation->source = kernel.text;
  preparation->entry_point = kernel.entry_point;
  preparation->constants.assign(kernel.constants.begin(), kernel.constants.end());
  return preparation;
}

}  // namespace

void EngineImpl::join_preparation(Task& task, const std::string& key, const Wanted& kernel,
                                  std::vector<std::shared_ptr<Preparation>>& started) {
  const std::optional<size_t> device = task.spot.wanted();
  std::shared_ptr<Preparation>& preparation = preparations_[name_of(key, device)];
  if (!preparation) {
    preparation = make_preparation(key, kernel, device);
    started.push_back(preparation);
  }
  // A chain may have one kernel under two ids, or twice.
  if (std::find(task.preparations.begin(), task.preparations.end(), preparation) != task.preparations.end()) return;
  preparation->waiters.push_back(task.id);
  task.preparations.push_back(preparation);
}

// A kernel that is ready elsewhere, for tasks to come. Takes a microsecond, once for each kernel and device.
void EngineImpl::prepare_for_others(const std::string& key, const Wanted& kernel, size_t device) {
  const auto* const known = kernels_.any(key);
  if (known == nullptr || !kernels_.ask(key, device)) return;
  auto preparation = make_preparation(key, kernel, device);
  preparation->for_others = true;
  preparation->known = *known;
  const auto [place, added] = preparations_.emplace(preparation->name, preparation);
  if (!added) return;  // a task waits for the same: its end is the answer too
  if (compilers_.post([this, preparation] { begin_for_others(preparation); })) return;
  preparations_.erase(place);
  kernels_.answer(key, device, false);
}

// The source is needed only if the device's shader is another one than that of the device where the kernel is ready.
void EngineImpl::begin_for_others(const std::shared_ptr<Preparation>& preparation) {
  const Status status = run_guarded([&]() -> Status {
    KEM_TRY(const auto device, devices_.wait(*preparation->device));
    if (options_key(options_for(*device)) != options_key(options_for(*preparation->known->device))) {
      preparation->known = nullptr;
    }
    return {};
  });
  if (!status) return complete(*preparation, fail(status.error()));
  preparation->known ? compile(preparation) : begin(preparation);
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

// Where nobody has asked for a certain device, what one of them cannot run is tried on the others.
Result<Ready> EngineImpl::make_ready(Preparation& preparation) {
  if (preparation.abandoned) return fail(ErrorClass::Cancelled, "nobody waits for the kernel any more");
  KEM_TRY(auto devices, devices_for(preparation));
  auto ready = make_ready_on(preparation, devices.front());
  for (size_t i = 1; i < devices.size() && !ready && ready.error().error_class == ErrorClass::UnsupportedKernel; ++i) {
    if (auto other = make_ready_on(preparation, devices[i])) ready = std::move(other);
  }
  return ready;
}

// That on which the least is in flight comes first.
Result<std::vector<Devices::Reference>> EngineImpl::devices_for(const Preparation& preparation) {
  std::vector<Devices::Reference> devices;
  KEM_TRY(auto first, preparation.device ? devices_.wait(*preparation.device) : devices_.wait());
  if (preparation.device || !devices_.several()) {
    devices.push_back(std::move(first));
    return devices;
  }
  for (size_t i = 0; i < devices_.count(); ++i) {
    if (auto device = devices_.current(i)) devices.push_back(std::move(device));
  }
  if (devices.empty()) devices.push_back(std::move(first));  // lost meanwhile
  const Lock lock(mutex_);
  std::stable_sort(devices.begin(), devices.end(),
                   [](const auto& a, const auto& b) { return ReadyKernels::lighter(a->load, b->load); });
  return devices;
}

Result<Ready> EngineImpl::make_ready_on(Preparation& preparation, const Devices::Reference& device) {
  const Sha256 digest = preparation.known ? Sha256{} : sha256(preparation.source);
  const std::string key =
      preparation.known ? preparation.known->key : text_key(digest, preparation.entry_point, preparation.constants);
  {
    const Lock lock(mutex_);  // the same text may be ready under another id
    if (const auto* found = kernels_.on(key, device->index)) return Ready{*found, preparation.origin};
  }
  std::shared_ptr<const CompiledShader> shader;
  if (preparation.known) {
    shader = preparation.known->shader;
  } else {
    const ShaderRequest request{preparation.source, digest, preparation.entry_point, preparation.constants,
                                options_for(*device)};
    KEM_TRY(auto compiled, parts_.compiler->compile(request, preparation.times));
    shader = std::make_shared<const CompiledShader>(std::move(compiled));
  }
  Stopwatch watch;
  KEM_TRY(auto pipeline, make_pipeline(*device, *shader));
  const size_t spirv_bytes =
      preparation.known ? preparation.known->spirv_bytes : shader->spirv.size() * sizeof(uint32_t);
  preparation.times.pipeline = watch.lap();
  if (!devices_.several()) {  // nobody else will want the SPIR-V
    shader = std::make_shared<const CompiledShader>(CompiledShader{{}, shader->reflection, shader->warnings});
  }
  auto executable =
      std::make_shared<const Executable>(Executable{device, std::move(pipeline), std::move(shader), key, spirv_bytes});
  const Lock lock(mutex_);
  kernels_.keep(key, Ready{executable, preparation.origin});
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
    specializations.push_back({kLoopBudgetConstant, loop_budget(device)});
    specializations.push_back({kLoopGroupConstant, loop_group(device)});
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
  if (result) {
    kernels_.keep(preparation.key, *result);
  } else if (preparation.device) {
    kernels_.answer(preparation.key, *preparation.device, !is_passing(result.error().error_class));
  }
  // An abandoned preparation has left the map already, and its name may be another's by now.
  const auto found = preparations_.find(preparation.name);
  if (found != preparations_.end() && found->second.get() == &preparation) preparations_.erase(found);
  const std::vector<JobId> waiters = std::exchange(preparation.waiters, {});
  for (const JobId id : waiters) {
    Task& task = *tasks_.at(id);
    std::erase_if(task.preparations, [&](const auto& awaited) { return awaited.get() == &preparation; });
    if (!result) {
      elsewhere(task, result.error());
      continue;
    }
    accept(task, preparation.key, *result);
    task.times.add(preparation.times);
    if (task.preparations.empty()) queue_.push_back(id);
  }
  // Many that wait for one device are a reason to have others.
  if (result && waiters.size() > 1 && !preparation.device && devices_.several()) {
    const std::optional<size_t> other = kernels_.another(preparation.key);
    if (other) prepare_for_others(preparation.key, wanted(preparation), *other);
  }
  executor_wake_.notify_one();
}

void EngineImpl::accept(Task& task, const std::string& key, const Ready& ready) {
  if (auto* const chain = std::get_if<std::unique_ptr<ChainWork>>(&task.work)) return (*chain)->accept(key, ready);
  task.ready = ready;
  kernels_.enter(task.spot, *ready.executable->device, task.traffic.sum());
}

// A task whose kernel could not be made ready on the device that was chosen for it may do on another.
void EngineImpl::elsewhere(Task& task, const Error& error) {
  Spot& spot = task.spot;
  const bool chain = std::holds_alternative<std::unique_ptr<ChainWork>>(task.work);
  if (spot.pin || !spot.target || (chain && !is_of_device(error.error_class))) return end_waiting(task, error);
  spot.avoid |= device_bit(*spot.target);
  if (spot.avoid == all_devices(devices_.count())) return end_waiting(task, error);
  spot.target.reset();
  leave_preparations(task);
  queue_.push_back(task.id);
}

// Iterations that a kernel may run: what the configuration says, within what the device runs rightly. A margin is
// left, as the device may count more than the kernel does.
uint32_t EngineImpl::loop_budget(const OpenDevice& device) const {
  const uint32_t most = device.device->limits().max_loop_iterations;
  const uint32_t right = most == 0 ? kUnlimited : most - most / 64;
  return std::min(config_.loop_budget.value_or(kUnlimited), right);
}

// Invocations whose iterations the device counts together, where that can matter within the budget.
uint32_t EngineImpl::loop_group(const OpenDevice& device) const {
  const uint64_t most = device.device->limits().max_loop_iterations;
  const uint64_t group = std::max(device.device->limits().subgroup_size, 1u);
  return most == 0 || loop_budget(device) * group <= most - most / 64 ? 1 : static_cast<uint32_t>(group);
}

wgsl::Options EngineImpl::options_for(const OpenDevice& device) const {
  const vulkan::DeviceLimits& limits = device.device->limits();
  wgsl::Options options{config_.limits, features_of(limits), config_.language_extensions};
  options.count_loops = config_.count_loops.value_or(loop_budget(device) != kUnlimited);
  // The drivers that end loops silently are those that also compile constant arrays slowly and number subgroups wrongly
  // (docs/conformance.md).
  options.slow_array_constants = limits.max_loop_iterations != 0;
  options.miscounted_subgroups = limits.max_loop_iterations != 0;
  options.misread_loop_exits = limits.misreads_loop_exits;
  return options;
}

}  // namespace kem::core
