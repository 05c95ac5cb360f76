#include "core/chain.h"

#include <algorithm>
#include <utility>

namespace kem::core {
namespace {

// A submitter's thread plans as many steps in about the time that waking another thread takes.
constexpr size_t kBriefSteps = 16;
constexpr size_t kBriefText = 64u << 10;

bool is_brief(const Chain& chain) {
  size_t text = 0;
  for (const Chain::Kernel& kernel : chain.kernels) text += wanted(kernel).text.size();
  return chain.order.size() <= kBriefSteps && chain.steps.size() <= kBriefSteps && text <= kBriefText;
}

Bound bound(const BufferReference& buffer) {
  if (!buffer) return {};
  const auto& resident = static_cast<const Resident&>(*buffer);
  return {resident.memory.get(), resident.size()};
}

Call call_of(const Chain::Step& step) {
  Call call;
  call.params = step.params;
  call.dispatch = step.dispatch;
  call.no_input = std::holds_alternative<std::monostate>(step.input);
  if (const auto* bytes = std::get_if<std::span<const uint8_t>>(&step.input)) call.input = *bytes;
  if (const auto* buffer = std::get_if<BufferReference>(&step.input)) call.resident_input = bound(*buffer);
  if (const auto* hint = std::get_if<OutputHint>(&step.output)) call.output = *hint;
  if (const auto* bytes = std::get_if<OutputBytes>(&step.output)) call.output = *bytes;
  if (const auto* buffer = std::get_if<BufferReference>(&step.output)) call.resident_output = bound(*buffer);
  return call;
}

Status of_step(const Chain& chain, size_t step, Status status) {
  if (status || chain.steps.size() == 1) return status;
  return fail(status.error().error_class, "step " + std::to_string(step + 1) + ": " + status.error().message);
}

Status check_step(const Chain& chain, const Chain::Step& step, const Limits& limits) {
  if (step.kernel >= chain.kernels.size()) return fail(ErrorClass::InvalidArgument, "there is no such kernel");
  const auto* input = std::get_if<BufferReference>(&step.input);
  const auto* output = std::get_if<BufferReference>(&step.output);
  if (input != nullptr && output != nullptr && *input == *output) {
    return fail(
        ErrorClass::InvalidArgument,
        "one buffer is both input and output: a kernel that changes a buffer in place has it as its output only");
  }
  return check_call(call_of(step), limits);
}

// One for each buffer, which writes if any of them does.
void merge(std::vector<Held>& held) {
  std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) { return a.buffer < b.buffer; });
  size_t kept = 0;
  for (size_t i = 1; i < held.size(); ++i) {
    if (held[i].buffer == held[kept].buffer) {
      held[kept].writes = held[kept].writes || held[i].writes;
    } else {
      std::swap(held[++kept], held[i]);
    }
  }
  if (!held.empty()) held.resize(kept + 1);
}

Status plan_step(ChainWork& work, const Chain::Step& step, const Limits& limits, ChainWork::Planned& planned) {
  const Executable& executable = *work.ready[step.kernel].executable;
  KEM_CHECK(check_immediates(step.immediates, executable.shader->reflection));
  KEM_TRY(CallPlan plan,
          plan_call(call_of(step), executable.shader->reflection, limits, executable.device->device->limits()));
  planned.arguments = std::move(plan.arguments);
  planned.workgroups = plan.workgroups;
  planned.output_bytes = plan.output_bytes;
  planned.output = plan.output_argument;
  planned.returns = !std::holds_alternative<BufferReference>(step.output);
  if (const auto& trap = executable.shader->reflection.trap) {
    planned.trap = planned.arguments.size();
    planned.arguments.push_back(
        {trap->group, trap->binding, vulkan::BufferKind::StorageReadWrite, sizeof(uint32_t), {}, {}});
  }
  return {};
}

// The arguments of one run of a step that has results: as planned, with memory for these.
Result<std::span<const vulkan::Argument>> with_results(ChainWork& work, const ChainWork::Planned& planned,
                                                       Lending& lending) {
  const size_t first = work.arguments.size();
  work.arguments.insert(work.arguments.end(), planned.arguments.begin(), planned.arguments.end());
  const auto arguments = std::span(work.arguments).subspan(first);
  if (planned.returns) {
    KEM_CHECK(lending.allocate_result(arguments[planned.output], planned.output_bytes));
  }
  if (planned.trap != 0) {
    uint32_t& trap = work.traps.emplace_back(0);
    arguments[planned.trap].result = {reinterpret_cast<uint8_t*>(&trap), sizeof(trap)};
  }
  return arguments;
}

}  // namespace

ChainWork::ChainWork(Chain given) : chain(std::move(given)), brief(is_brief(chain)), ready(chain.kernels.size()) {
  if (brief) name_kernels();
}

void ChainWork::name_kernels() {
  if (!keys.empty()) return;
  keys.reserve(chain.kernels.size());
  for (const Chain::Kernel& kernel : chain.kernels) keys.push_back(key_of(wanted(kernel)));
}

void ChainWork::accept(const std::string& key, const Ready& kernel) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) ready[i] = kernel;
  }
}

bool ChainWork::trapped() const {
  return std::any_of(traps.begin(), traps.end(), [](uint32_t trap) { return trap != 0; });
}

std::string ChainWork::origin() const { return ready.empty() ? std::string() : ready.front().origin; }

std::string ChainWork::warnings() const {
  std::string all;
  std::vector<const Executable*> told;
  for (const Ready& kernel : ready) {
    const Executable* const executable = kernel.executable.get();
    if (executable == nullptr || std::find(told.begin(), told.end(), executable) != told.end()) continue;
    told.push_back(executable);
    all += executable->shader->warnings;
  }
  return all;
}

Status check_chain(const Chain& chain, const Limits& limits) {
  if (chain.order.size() > limits.chain_steps) {
    return fail(ErrorClass::InvalidArgument, "the chain has " + std::to_string(chain.order.size()) +
                                                 " steps, more than the limit of " +
                                                 std::to_string(limits.chain_steps));
  }
  for (const uint32_t step : chain.order) {
    if (step >= chain.steps.size()) return fail(ErrorClass::InvalidArgument, "there is no such step");
  }
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    KEM_CHECK(of_step(chain, i, check_step(chain, chain.steps[i], limits)));
  }
  return {};
}

Traffic traffic_of(const Chain& chain, const Limits& limits) {
  std::vector<Traffic> steps;
  steps.reserve(chain.steps.size());
  for (const Chain::Step& step : chain.steps) steps.push_back(traffic_of(call_of(step), limits));
  Traffic sum;  // no more than Limits::chain_steps times a limit of at most 2^40
  for (const uint32_t step : chain.order) {
    sum.input += steps[step].input;
    sum.output += steps[step].output;
  }
  return sum;
}

Result<std::vector<Held>> buffers_of(const Chain& chain, const ResidentPool& pool) {
  std::vector<Held> held;
  const auto use = [&](const BufferReference* buffer, bool writes) -> Status {
    if (buffer == nullptr) return {};
    KEM_TRY(auto resident, pool.own(*buffer));
    held.push_back({std::move(resident), writes});
    return {};
  };
  for (const Chain::Step& step : chain.steps) {
    KEM_CHECK(use(std::get_if<BufferReference>(&step.input), false));
    KEM_CHECK(use(std::get_if<BufferReference>(&step.output), true));
  }
  merge(held);
  return held;
}

Result<std::optional<size_t>> device_of_buffers(const std::vector<Held>& held, std::optional<size_t> pin) {
  if (held.empty()) return pin;
  const size_t first = held.front().buffer->device->index;
  for (const Held& other : held) {
    const size_t index = other.buffer->device->index;
    if (index == first) continue;
    return fail(ErrorClass::InvalidArgument, "the buffers are on devices " + std::to_string(std::min(first, index)) +
                                                 " and " + std::to_string(std::max(first, index)) +
                                                 ": those that are used together must be on one");
  }
  if (!pin || *pin == first) return first;
  return fail(ErrorClass::InvalidArgument, "the buffers are on device " + std::to_string(first) +
                                               ", but the call is to run on device " + std::to_string(*pin));
}

Status plan_chain(ChainWork& work, const Limits& limits, Lending& lending) {
  const Chain& chain = work.chain;
  work.planned.resize(chain.steps.size());
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    KEM_CHECK(of_step(chain, i, plan_step(work, chain.steps[i], limits, work.planned[i])));
    lending.lend_inputs(work.planned[i].arguments);
  }
  size_t arguments = 0;
  size_t traps = 0;
  for (const uint32_t step : chain.order) {
    if (work.planned[step].has_results()) arguments += work.planned[step].arguments.size();
    if (work.planned[step].trap != 0) ++traps;
  }
  work.arguments.reserve(arguments);  // spans of both are kept
  work.traps.reserve(traps);
  work.steps.reserve(chain.order.size());
  for (const uint32_t index : chain.order) {
    const ChainWork::Planned& planned = work.planned[index];
    std::span<const vulkan::Argument> bound = planned.arguments;
    if (planned.has_results()) {
      KEM_TRY(bound, with_results(work, planned, lending));
    }
    const Chain::Step& step = chain.steps[index];
    work.steps.push_back({work.ready[step.kernel].executable->pipeline.get(), bound, planned.workgroups,
                          step.immediates, chain.independent});
  }
  return {};
}

}  // namespace kem::core
