// Buffers that outlive calls: making them, and copies into and out of them. How much memory there is.
#include <algorithm>

#include "vulkan/device.h"
#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

// Of a copy through staging memory.
constexpr uint64_t kPiece = 32u << 20;
// As long as the end of the device waits for abandoned jobs.
constexpr std::chrono::seconds kPatience{5};

}  // namespace

Result<std::unique_ptr<Buffer>> DeviceImpl::make_buffer(uint64_t size) {
  KEM_CHECK(check_alive());
  if (size == 0) return fail(ErrorClass::InvalidArgument, "a buffer needs a byte");
  if (size > limits().max_storage_range)
    return fail(ErrorClass::OutputTooLarge, "a buffer of " + std::to_string(size) + " bytes: the device allows " +
                                                std::to_string(limits().max_storage_range));
  auto state = std::make_shared<BufferState>();
  state->context = &core_->context;
  state->id = next_buffer_.fetch_add(1, std::memory_order_relaxed);
  state->size = size;
  const MemoryUse use = core_->context.unified ? MemoryUse::Shared : MemoryUse::Device;
  auto block = Block::make(core_->context, use, state->bound_size());
  if (!block && block.error().error_class == ErrorClass::OutOfMemory) {
    core_->slots->trim();  // memory that free slots keep may be what is missing
    block = Block::make(core_->context, use, state->bound_size());
  }
  KEM_TRY(state->block, noting_loss(std::move(block)));
  if (uint8_t* const mapped = state->block.mapped()) {
    core_->copier.zero(mapped, state->bound_size());
  } else {
    KEM_TRY(SlotLease slot, core_->slots->take_blank());
    KEM_CHECK(slot->record_fill(state->block.buffer(), state->bound_size()));
    KEM_CHECK(transfer(*slot, state->bound_size()));
  }
  return std::make_unique<BufferHandle>(std::move(state));
}

Result<const BufferState*> DeviceImpl::checked(const Buffer& buffer, uint64_t offset, uint64_t size) const {
  KEM_CHECK(check_alive());
  const auto* const state = state_of(&buffer);
  if (state == nullptr || (*state)->context != &core_->context)
    return fail(ErrorClass::InvalidArgument, "the buffer belongs to another device");
  if (offset > buffer.size() || size > buffer.size() - offset)
    return fail(ErrorClass::InvalidArgument, std::to_string(size) + " bytes from byte " + std::to_string(offset) +
                                                 " on: the buffer has " + std::to_string(buffer.size()));
  return state->get();
}

// What the slot has recorded. If it does not come to an end, the device is as good as lost, and the slot with it.
Status DeviceImpl::transfer(Slot& slot, uint64_t bytes) {
  KEM_TRY(const Fence fence, make_fence(core_->context));
  Status status = submit_and_wait(core_->lanes->pick(bytes < Lanes::kBriefBytes), slot.commands(), fence);
  if (!status) lost_.store(true, std::memory_order_relaxed);
  return status;
}

// On the copy queue if there is one and the range is large.
Status DeviceImpl::copy(Slot& slot, VkBuffer from, VkBuffer to, const VkBufferCopy& range, CopyQueue* apart) {
  if (apart == nullptr || range.size < core_->context.least_apart) {
    KEM_CHECK(slot.record_copy(from, to, range));
    return transfer(slot, range.size);
  }
  KEM_CHECK(slot.record_copy_apart(from, to, range));
  const VkCommandBuffer commands = slot.copy_commands();
  const auto submitted = apart->submit({&commands, 1}, {});
  const VkResult result = submitted.count == 0 ? submitted.result : apart->wait(submitted.first, kPatience);
  if (result != VK_SUCCESS) lost_.store(true, std::memory_order_relaxed);  // as in transfer()
  KEM_VK("waiting for a copy", result);
  return {};
}

Status DeviceImpl::read(const Buffer& buffer, uint64_t offset, std::span<uint8_t> to) {
  KEM_TRY(const BufferState* state, checked(buffer, offset, to.size()));
  const Block& block = state->block;
  if (block.mapped() != nullptr) {
    core_->copier.copy(to.data(), block.mapped() + offset, to.size());
    return {};
  }
  KEM_TRY(SlotLease slot, core_->slots->take_blank());
  for (uint64_t done = 0; done < to.size();) {
    const uint64_t size = std::min(to.size() - done, kPiece);
    KEM_TRY(const Place staging, slot->stage(MemoryUse::Readback, size));
    KEM_CHECK(copy(*slot, block.buffer(), staging.buffer, {offset + done, staging.offset, size},
                   core_->copies ? &core_->copies->down() : nullptr));
    core_->copier.copy(to.data() + done, staging.mapped, size);
    done += size;
  }
  return {};
}

Status DeviceImpl::write(Buffer& buffer, uint64_t offset, std::span<const uint8_t> from) {
  KEM_TRY(const BufferState* state, checked(buffer, offset, from.size()));
  const Block& block = state->block;
  if (block.mapped() != nullptr) {
    core_->copier.copy(block.mapped() + offset, from.data(), from.size());
    return {};
  }
  KEM_TRY(SlotLease slot, core_->slots->take_blank());
  for (uint64_t done = 0; done < from.size();) {
    const uint64_t size = std::min(from.size() - done, kPiece);
    KEM_TRY(const Place staging, slot->stage(MemoryUse::Upload, size));
    core_->copier.copy(staging.mapped, from.data() + done, size);
    KEM_CHECK(copy(*slot, staging.buffer, block.buffer(), {staging.offset, offset + done, size},
                   core_->copies ? &core_->copies->up() : nullptr));
    done += size;
  }
  return {};
}

MemoryUsage DeviceImpl::memory() const {
  const Context& context = core_->context;
  MemoryUsage usage;
  usage.allocated = context.allocated.bytes.load(std::memory_order_relaxed);
  if (context.memory_budget == nullptr) return usage;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
  VkPhysicalDeviceMemoryProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  properties.pNext = &budget;
  context.memory_budget(context.physical, &properties);
  for (uint32_t heap = 0; heap < context.memory.memoryHeapCount; ++heap) {
    if ((context.memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    usage.used += budget.heapUsage[heap];
    usage.budget += budget.heapBudget[heap];
  }
  return usage;
}

}  // namespace kem::vulkan
