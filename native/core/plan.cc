#include "core/plan.h"

#include <algorithm>
#include <limits>
#include <string>

namespace kem::core {
namespace {

constexpr uint64_t kWordBytes = 4;
// A uniform block's bound size: std140 rounds the block's own size up to this.
constexpr uint64_t kUniformAlignment = 16;

uint64_t round_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }
uint64_t ceil_div(uint64_t value, uint64_t by) { return value / by + (value % by != 0 ? 1 : 0); }

std::string bytes_text(uint64_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

struct Place {
  uint32_t binding;
  wgsl::BindingKind kind;
  const char* role;
  const char* address_space;
};

constexpr Place kPlaces[] = {
    {kInputBinding, wgsl::BindingKind::StorageRead, "the input", "var<storage, read>"},
    {kOutputBinding, wgsl::BindingKind::StorageReadWrite, "the output", "var<storage, read_write>"},
    {kParamsBinding, wgsl::BindingKind::Uniform, "the params", "var<uniform>"},
};

const char* spelling(wgsl::BindingKind kind) {
  for (const Place& place : kPlaces) {
    if (place.kind == kind) return place.address_space;
  }
  return "";
}

std::string where(uint32_t group, uint32_t binding) {
  return "group " + std::to_string(group) + ", binding " + std::to_string(binding);
}

std::string where(const wgsl::Binding& binding) {
  return "'" + binding.name + "' at " + where(binding.group, binding.binding);
}

Status check_place(const wgsl::Binding& binding, bool has_params) {
  const auto* place = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                   [&](const Place& p) { return binding.group == 0 && p.binding == binding.binding; });
  if (place == std::end(kPlaces)) {
    return fail(ErrorClass::InvalidBinding,
                "the kernel uses " + where(binding) +
                    ", which the call does not provide: group 0 has binding 0 for the input, 1 for the output and 2 "
                    "for the params");
  }
  if (binding.kind != place->kind) {
    return fail(ErrorClass::InvalidBinding, "the kernel declares " + where(binding) + " as '" + spelling(binding.kind) +
                                                "', but " + place->role + " must be '" + place->address_space + "'");
  }
  if (binding.binding == kParamsBinding && !has_params) {
    return fail(ErrorClass::InvalidBinding, "the kernel uses the uniform " + where(binding) +
                                                ", but the call has no params: use execute_kernel_with_params");
  }
  return {};
}

Status check_interface(const wgsl::Reflection& reflection, bool has_params) {
  bool output = false;
  for (const wgsl::Binding& binding : reflection.bindings) {
    KEM_CHECK(check_place(binding, has_params));
    output = output || binding.binding == kOutputBinding;
  }
  if (!output) {
    return fail(ErrorClass::InvalidBinding,
                "entry point '" + reflection.entry_point +
                    "' uses no output: it must write to a 'var<storage, read_write>' at group 0, binding 1");
  }
  return {};
}

tl::unexpected<Error> too_large(ErrorClass error_class, const char* what, uint64_t bytes, uint64_t limit) {
  return fail(error_class, std::string(what) + bytes_text(bytes) + ", more than the limit of " + std::to_string(limit));
}

tl::unexpected<Error> over_device(ErrorClass error_class, const char* what, uint64_t bytes, uint64_t limit) {
  return fail(error_class,
              std::string(what) + bytes_text(bytes) + ", but this device binds at most " + std::to_string(limit));
}

constexpr const char* kInputHas = "the input has ";
constexpr const char* kOutputHas = "the output would have ";
constexpr const char* kParamsHave = "the params have ";

uint64_t input_bytes(const Call& call) {
  return call.resident_input.memory != nullptr ? call.resident_input.bytes : call.input.size();
}

Status check_input(const Call& call, const Limits& limits) {
  if (call.no_input || call.resident_input.memory != nullptr) return {};
  const uint64_t bytes = call.input.size();
  if (bytes == 0) return fail(ErrorClass::InvalidInput, "the input is empty");
  if (bytes > limits.input_bytes) return too_large(ErrorClass::InputTooLarge, kInputHas, bytes, limits.input_bytes);
  return {};
}

Result<uint64_t> requested_output(const Call& call, const Limits& limits) {
  if (call.resident_output.memory != nullptr) return call.resident_output.bytes;
  if (const auto* exact = std::get_if<OutputBytes>(&call.output)) {
    if (exact->bytes == 0) return fail(ErrorClass::InvalidArgument, "the output size is 0");
    return exact->bytes;
  }
  if (call.no_input) return fail(ErrorClass::InvalidArgument, "without an input the output's size must be given");
  const uint64_t ratio = std::get<OutputHint>(call.output).ratio;
  if (ratio == 0) return fail(ErrorClass::InvalidArgument, "the output size hint is 0; it must be at least 1");
  if (ratio > limits.output_bytes) {
    return fail(ErrorClass::InvalidArgument, "the output size hint " + std::to_string(ratio) +
                                                 " is more than the largest output, " +
                                                 bytes_text(limits.output_bytes));
  }
  // Both factors are below 2^29 by default, but limits are the operator's to raise.
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return input_bytes(call) > kMost / ratio ? kMost : input_bytes(call) * ratio;
}

Result<uint64_t> output_bytes(const Call& call, const Limits& limits) {
  KEM_TRY(const uint64_t bytes, requested_output(call, limits));
  if (call.resident_output.memory != nullptr) return bytes;
  if (bytes > limits.output_bytes) return too_large(ErrorClass::OutputTooLarge, kOutputHas, bytes, limits.output_bytes);
  return bytes;
}

Status check_params(std::span<const uint8_t> params, const Limits& limits) {
  if (params.size() % kWordBytes != 0) {
    return fail(ErrorClass::InvalidParams,
                kParamsHave + bytes_text(params.size()) + ", which is no whole number of u32 words");
  }
  if (params.size() > limits.params_bytes) {
    return too_large(ErrorClass::InvalidParams, kParamsHave, params.size(), limits.params_bytes);
  }
  return {};
}

uint64_t expected_output(const std::variant<OutputHint, OutputBytes>& output, uint64_t input, const Limits& limits) {
  if (const auto* exact = std::get_if<OutputBytes>(&output)) return std::min(exact->bytes, limits.output_bytes);
  const uint64_t ratio = std::get_if<OutputHint>(&output)->ratio;
  const bool over = input > limits.output_bytes || (ratio != 1 && input != 0 && ratio > limits.output_bytes / input);
  return over ? limits.output_bytes : input * ratio;
}

uint64_t bound_size(wgsl::BindingKind kind, uint64_t bytes) {
  return round_up(bytes, kind == wgsl::BindingKind::Uniform ? kUniformAlignment : kWordBytes);
}

vulkan::Argument argument_at(const wgsl::Binding& binding) {
  vulkan::Argument argument;
  argument.group = binding.group;
  argument.binding = binding.binding;
  argument.kind = buffer_kind(binding.kind);
  argument.only_written = !binding.read;
  return argument;
}

Status check_range(const vulkan::Argument& argument, uint64_t bytes, const vulkan::DeviceLimits& device) {
  const bool uniform = argument.kind == vulkan::BufferKind::Uniform;
  const uint64_t most = uniform ? device.max_uniform_range : device.max_storage_range;
  if (argument.size <= most) return {};
  if (uniform) return over_device(ErrorClass::InvalidParams, kParamsHave, bytes, most);
  if (argument.binding == kInputBinding) return over_device(ErrorClass::InputTooLarge, kInputHas, bytes, most);
  return over_device(ErrorClass::OutputTooLarge, kOutputHas, bytes, most);
}

Result<vulkan::Argument> bind(const wgsl::Binding& binding, const Call& call, uint64_t output,
                              const vulkan::DeviceLimits& device) {
  vulkan::Argument argument = argument_at(binding);
  uint64_t bytes = output;
  switch (binding.binding) {
    case kInputBinding:
      if (call.no_input)
        return fail(ErrorClass::InvalidBinding, "the kernel uses " + where(binding) + ", but the call has no input");
      argument.initial = call.input;
      argument.resident = call.resident_input.memory;
      bytes = input_bytes(call);
      break;
    case kParamsBinding:
      argument.initial = *call.params;
      bytes = call.params->size();
      break;
    default:
      argument.resident = call.resident_output.memory;
  }
  argument.size = bound_size(binding.kind, bytes);
  KEM_CHECK(check_range(argument, bytes, device));
  // A uniform's rounding is ours; what the caller gave must reach. Storage is padded by contract, so it counts.
  const uint64_t have = binding.kind == wgsl::BindingKind::Uniform ? bytes : argument.size;
  if (have < binding.min_size) {
    const bool params = binding.binding == kParamsBinding;
    const char* role = binding.binding == kInputBinding ? kInputHas : params ? kParamsHave : kOutputHas;
    return fail(params ? ErrorClass::InvalidParams : ErrorClass::InvalidInput,
                role + bytes_text(bytes) + ", but the kernel's " + where(binding) + " ('" + binding.type +
                    "') needs at least " + std::to_string(binding.min_size));
  }
  return argument;
}

Result<std::array<uint64_t, 3>> workgroups(const Call& call, uint64_t output, const wgsl::Reflection& reflection) {
  const auto& size = reflection.workgroup_size;
  if (const auto* exact = std::get_if<DispatchWorkgroups>(&call.dispatch)) return exact->count;
  if (std::holds_alternative<DispatchGrid>(call.dispatch)) {
    KEM_TRY(const Extent extent, extent_of(call.params));
    return std::array<uint64_t, 3>{ceil_div(extent.width, size[0]), ceil_div(extent.height, size[1]), 1};
  }
  return std::array<uint64_t, 3>{ceil_div(ceil_div(output, kWordBytes), size[0]), 1, 1};
}

uint32_t word(std::span<const uint8_t> bytes, size_t index) {
  const auto at = bytes.subspan(index * kWordBytes, kWordBytes);
  return static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 | static_cast<uint32_t>(at[2]) << 16 |
         static_cast<uint32_t>(at[3]) << 24;
}

Result<vulkan::Argument> bind(const wgsl::Binding& binding, const BindingJob& job, const vulkan::DeviceLimits& device) {
  const auto given = std::find_if(job.bindings.begin(), job.bindings.end(), [&](const BindingArgument& argument) {
    return argument.group == binding.group && argument.binding == binding.binding;
  });
  if (given == job.bindings.end()) {
    return fail(ErrorClass::InvalidBinding, "the kernel uses " + where(binding) + ", which the call does not provide");
  }
  const uint64_t bytes = given->bytes.size();
  if (bytes < binding.min_size || bytes == 0) {
    return fail(ErrorClass::InvalidBinding, "the call provides " + bytes_text(bytes) + " for the kernel's " +
                                                where(binding) + " ('" + binding.type + "'), which needs at least " +
                                                std::to_string(binding.min_size));
  }
  vulkan::Argument argument = argument_at(binding);
  argument.size = bound_size(binding.kind, bytes);
  const bool uniform = binding.kind == wgsl::BindingKind::Uniform;
  if (argument.size > (uniform ? device.max_uniform_range : device.max_storage_range)) {
    return fail(ErrorClass::InputTooLarge, "the call provides " + bytes_text(bytes) + " for the kernel's " +
                                               where(binding) + ", more than this device binds");
  }
  argument.initial = given->bytes;
  if (binding.kind == wgsl::BindingKind::StorageReadWrite) argument.result = given->bytes;
  return argument;
}

}  // namespace

vulkan::BufferKind buffer_kind(wgsl::BindingKind kind) {
  switch (kind) {
    case wgsl::BindingKind::Uniform:
      return vulkan::BufferKind::Uniform;
    case wgsl::BindingKind::StorageRead:
      return vulkan::BufferKind::StorageRead;
    case wgsl::BindingKind::StorageReadWrite:
      break;
  }
  return vulkan::BufferKind::StorageReadWrite;
}

bool Lending::has_lender() {
  if (lender_ == nullptr && !refused_) lender_ = client_.lender();
  refused_ = lender_ == nullptr;
  return !refused_;
}

void Lending::lend_inputs(std::span<vulkan::Argument> arguments) {
  for (vulkan::Argument& argument : arguments) {
    argument.lent = argument.kind == vulkan::BufferKind::StorageRead && argument.resident == nullptr &&
                    argument.initial.size() >= least_input_ && has_lender();
  }
}

const Pages* Lending::lend(uint64_t bytes, PageContent content) {
  return bytes >= least_result_ && has_lender() ? client_.lend_output(bytes, content) : nullptr;
}

// A device that has no use for the pages itself copies to the whole of the result before it tells success.
Status Lending::allocate_result(vulkan::Argument& argument, uint64_t bytes) {
  argument.pages = lend(bytes, in_place_ ? PageContent::Zeros : PageContent::Any);
  argument.lent = argument.pages != nullptr;
  argument.result = argument.lent ? std::span(argument.pages->data(), bytes) : client_.allocate_output(bytes);
  if (argument.result.size() == bytes) return {};
  return fail(ErrorClass::OutOfMemory, "no memory for the output");
}

Result<std::span<uint8_t>> Lending::allocate_copy(uint64_t bytes) {
  const Pages* const pages = lend(bytes, PageContent::Any);
  const std::span<uint8_t> memory = pages != nullptr ? std::span(pages->data(), bytes) : client_.allocate_output(bytes);
  if (memory.size() == bytes) return memory;
  return fail(ErrorClass::OutOfMemory, "no memory for the bytes");
}

Status check_immediates(std::span<const uint8_t> immediates, const wgsl::Reflection& reflection) {
  if (immediates.size() <= reflection.immediate_bytes) return {};
  return fail(ErrorClass::InvalidArgument, "the immediates have " + bytes_text(immediates.size()) +
                                               ", the kernel's var<immediate> has " +
                                               bytes_text(reflection.immediate_bytes));
}

Result<Extent> extent_of(std::optional<std::span<const uint8_t>> params) {
  if (!params || params->size() < 2 * kWordBytes) {
    return fail(ErrorClass::InvalidParams, "the params must begin with two u32 words, width and height; they have " +
                                               bytes_text(params ? params->size() : 0));
  }
  const Extent extent{word(*params, 0), word(*params, 1)};
  if (extent.width == 0 || extent.height == 0) {
    return fail(ErrorClass::InvalidParams, "the params tell a width of " + std::to_string(extent.width) +
                                               " and a height of " + std::to_string(extent.height) +
                                               "; neither may be 0");
  }
  return extent;
}

Status check_workgroups(const std::array<uint64_t, 3>& count, const std::array<uint32_t, 3>& size) {
  constexpr uint64_t kWords = uint64_t{1} << 32;
  for (size_t axis = 0; axis < count.size(); ++axis) {
    if (count[axis] >= kWords || count[axis] > kWords / size[axis]) {
      return fail(ErrorClass::InvalidArgument, std::to_string(count[axis]) + " workgroups of size " +
                                                   std::to_string(size[axis]) + " along " + "xyz"[axis] +
                                                   " are more than 32-bit invocation ids can tell");
    }
  }
  return {};
}

Call call_of(const Job& job) {
  Call call;
  call.input = job.input;
  call.params = job.params;
  call.output = job.output;
  call.dispatch = job.dispatch;
  return call;
}

Status check_call(const Call& call, const Limits& limits) {
  KEM_CHECK(check_input(call, limits));
  KEM_CHECK(output_bytes(call, limits));
  if (call.params) KEM_CHECK(check_params(*call.params, limits));
  if (std::holds_alternative<DispatchGrid>(call.dispatch)) KEM_CHECK(extent_of(call.params));
  return {};
}

Traffic traffic_of(const Call& call, const Limits& limits) {
  const uint64_t travelling = std::min<uint64_t>(call.input.size(), limits.input_bytes);
  if (call.resident_output.memory != nullptr) return {travelling, 0};
  return {travelling, expected_output(call.output, input_bytes(call), limits)};
}

Traffic traffic_of(const Job& job, const Limits& limits) {
  return {std::min<uint64_t>(job.input.size(), limits.input_bytes),
          expected_output(job.output, job.input.size(), limits)};
}

Result<CallPlan> plan_call(const Call& call, const wgsl::Reflection& reflection, const Limits& limits,
                           const vulkan::DeviceLimits& device, std::pmr::memory_resource* memory) {
  CallPlan plan{.arguments = std::pmr::vector<vulkan::Argument>(memory)};
  KEM_CHECK(check_call(call, limits));
  KEM_CHECK(check_interface(reflection, call.params.has_value()));
  KEM_TRY(plan.output_bytes, output_bytes(call, limits));
  KEM_TRY(plan.workgroups, workgroups(call, plan.output_bytes, reflection));
  KEM_CHECK(check_workgroups(plan.workgroups, reflection.workgroup_size));
  plan.arguments.reserve(reflection.bindings.size() + 1);
  for (const wgsl::Binding& binding : reflection.bindings) {
    KEM_TRY(const auto argument, bind(binding, call, plan.output_bytes, device));
    if (binding.binding == kOutputBinding) plan.output_argument = plan.arguments.size();
    plan.arguments.push_back(argument);
  }
  return plan;
}

Result<std::pmr::vector<vulkan::Argument>> plan_bindings(const BindingJob& job, const wgsl::Reflection& reflection,
                                                         const vulkan::DeviceLimits& device,
                                                         std::pmr::memory_resource* memory) {
  std::pmr::vector<vulkan::Argument> arguments(memory);
  arguments.reserve(reflection.bindings.size() + 1);
  for (const wgsl::Binding& binding : reflection.bindings) {
    KEM_TRY(const auto argument, bind(binding, job, device));
    arguments.push_back(argument);
  }
  return arguments;
}

}  // namespace kem::core
