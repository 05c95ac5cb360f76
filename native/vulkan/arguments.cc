#include "vulkan/arguments.h"

#include <algorithm>

namespace kem::vulkan {
namespace {

std::string place(uint32_t group, uint32_t binding) {
  return "group " + std::to_string(group) + " binding " + std::to_string(binding);
}

std::string bytes(uint64_t count) { return std::to_string(count) + " bytes"; }

std::string_view name(BufferKind kind) {
  switch (kind) {
    case BufferKind::Uniform:
      return "uniform";
    case BufferKind::StorageRead:
      return "storage, read";
    case BufferKind::StorageReadWrite:
      return "storage, read_write";
  }
  return "";
}

// Mostly the nth.
const Argument* find(std::span<const Argument> arguments, size_t nth, const LayoutBinding& binding) {
  if (nth < arguments.size() && arguments[nth].group == binding.group && arguments[nth].binding == binding.binding)
    return &arguments[nth];
  for (const Argument& argument : arguments)
    if (argument.group == binding.group && argument.binding == binding.binding) return &argument;
  return nullptr;
}

Status check_range(const Argument& argument, const DeviceLimits& limits) {
  const bool uniform = argument.kind == BufferKind::Uniform;
  const uint64_t most = uniform ? limits.max_uniform_range : limits.max_storage_range;
  if (argument.size <= most) return {};
  return fail(argument.kind == BufferKind::StorageReadWrite ? ErrorClass::OutputTooLarge : ErrorClass::InputTooLarge,
              place(argument.group, argument.binding) + " has " + bytes(argument.size) + ": the device allows " +
                  bytes(most) + (uniform ? " in a uniform buffer" : " in a storage buffer"));
}

Status check_resident(const Context& context, const Argument& argument) {
  const auto* const buffer = state_of(argument.resident);
  if (buffer == nullptr || (*buffer)->context != &context)
    return fail(ErrorClass::InvalidArgument,
                place(argument.group, argument.binding) + " has a buffer that belongs to another device");
  if (argument.offset % context.buffer_alignment != 0)
    return fail(ErrorClass::InvalidArgument, place(argument.group, argument.binding) + " begins at byte " +
                                                 std::to_string(argument.offset) + " of its buffer, no multiple of " +
                                                 std::to_string(context.buffer_alignment));
  const uint64_t there = (*buffer)->bound_size();
  if (argument.offset > there || argument.size > there - argument.offset)
    return fail(ErrorClass::InvalidArgument,
                place(argument.group, argument.binding) + " ends behind its buffer of " + bytes((*buffer)->size));
  return {};
}

Status check_argument(const Context& context, const LayoutBinding& binding, const Argument& argument) {
  const std::string_view wanted = name(binding.kind);
  if (argument.kind != binding.kind)
    return fail(ErrorClass::InvalidBinding, place(binding.group, binding.binding) + " is <" + std::string(wanted) +
                                                "> in the kernel and <" + std::string(name(argument.kind)) +
                                                "> in the call");
  if (argument.size == 0)
    return fail(ErrorClass::InvalidBinding, place(binding.group, binding.binding) + " has 0 bytes");
  if (argument.size % 4 != 0)
    return fail(ErrorClass::InvalidArgument,
                place(binding.group, binding.binding) + " has " + bytes(argument.size) + ", no multiple of 4");
  if (argument.initial.size() > argument.size || argument.result.size() > argument.size)
    return fail(ErrorClass::InvalidArgument,
                place(binding.group, binding.binding) + " has " + bytes(argument.size) + ", fewer than " +
                    bytes(std::max(argument.initial.size(), argument.result.size())) + " of initial or result");
  if (argument.resident != nullptr) KEM_CHECK(check_resident(context, argument));
  return check_range(argument, context.limits);
}

// The caller's bytes, where a binding's range can be just these: nothing beside them can be reached by the kernel, and
// what can be written is no more than what is the caller's to give away.
const uint8_t* usable_memory(const Context& context, const Argument& argument) {
  if (context.import_alignment == 0 || !context.unified || argument.resident != nullptr) return nullptr;
  if (argument.kind == BufferKind::StorageRead && argument.result.empty()) {
    const uint8_t* const memory = argument.initial.data();
    const uint64_t offset = reinterpret_cast<uintptr_t>(memory) % context.import_alignment;
    return argument.initial.size() == argument.size && offset % context.storage_alignment == 0 ? memory : nullptr;
  }
  if (argument.kind != BufferKind::StorageReadWrite || !argument.initial.empty()) return nullptr;
  const uint8_t* const memory = argument.result.data();
  const bool begins_page = reinterpret_cast<uintptr_t>(memory) % context.import_alignment == 0;
  return (argument.result.size() + 3) / 4 * 4 == argument.size && begins_page ? memory : nullptr;
}

}  // namespace

Status check_arguments(const PipelineState& pipeline, std::span<const Argument> arguments) {
  for (size_t i = 0; i < pipeline.bindings.size(); ++i) {
    const LayoutBinding& binding = pipeline.bindings[i];
    const Argument* const argument = find(arguments, i, binding);
    if (argument == nullptr)
      return fail(ErrorClass::InvalidBinding,
                  place(binding.group, binding.binding) + " of the kernel is missing in the call");
    KEM_CHECK(check_argument(*pipeline.context, binding, *argument));
  }
  if (arguments.size() == pipeline.bindings.size()) return {};
  // Every binding has its argument, so one too many is a second one or unknown.
  return fail(ErrorClass::InvalidBinding, "the call has " + std::to_string(arguments.size()) + " buffers, the kernel " +
                                              std::to_string(pipeline.bindings.size()) + " bindings");
}

Placement place_argument(const Context& context, const Argument& argument, bool delivered) {
  const uint8_t* const lent = argument.lent ? usable_memory(context, argument) : nullptr;
  if (lent == nullptr) return place_copied(context, argument, delivered);
  Placement placement;
  placement.size = argument.size;
  placement.lent = lent;
  return placement;
}

Placement place_copied(const Context& context, const Argument& argument, bool delivered) {
  Placement placement;
  placement.size = argument.size;
  if (argument.resident != nullptr) {
    const BufferState& buffer = **state_of(argument.resident);
    placement.resident = buffer.id;
    placement.offset = argument.offset;
    if (buffer.block.mapped() != nullptr) return placement;
    placement.upload = argument.initial.size();
    placement.readback = argument.result.size();
    return placement;
  }
  if (context.unified) return placement;
  if (argument.only_written && argument.size <= context.near.written_bytes) return placement;
  const bool given = (argument.initial.size() + 3) / 4 * 4 == argument.size;
  const uint64_t most_near = given ? context.near.given_bytes : context.near.zeroed_bytes;
  if (!context.near_memory || argument.size > most_near) return place_staged(argument, delivered);
  placement.home = MemoryUse::Near;
  placement.readback = argument.result.size();  // the host would read slowly through the mapping
  placement.delivered = delivered;
  return placement;
}

Placement place_staged(const Argument& argument, bool delivered) {
  Placement placement;
  placement.home = MemoryUse::Device;
  placement.size = argument.size;
  placement.upload = (argument.initial.size() + 3) / 4 * 4;
  placement.fill = placement.upload < argument.size;
  placement.readback = argument.result.size();
  placement.delivered = delivered;
  return placement;
}

}  // namespace kem::vulkan
