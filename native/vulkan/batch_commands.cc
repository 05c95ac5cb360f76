#include "vulkan/batch_commands.h"

#include <algorithm>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

struct Side {
  VkPipelineStageFlags stages;
  VkAccessFlags access;
};
constexpr Side kHost{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};
constexpr Side kKernels{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT};
constexpr Side kCopies{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr Side kCopiesAndHost{VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                              VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT};

void barrier(const Context& context, VkCommandBuffer commands, const Side& from, const Side& to) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = from.access;
  memory.dstAccessMask = to.access;
  context.vk.vkCmdPipelineBarrier(commands, from.stages, to.stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

Result<BatchCommands> BatchCommands::make(const Context& context) {
  BatchCommands batch(context);
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = context.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  KEM_VK("vkCreateCommandPool", context.vk.vkCreateCommandPool(context.device, &info, nullptr, &pool));
  batch.pool_ = CommandPool(context, pool);
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = pool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = static_cast<uint32_t>(batch.buffers_.size());
  KEM_VK("vkAllocateCommandBuffers",
         context.vk.vkAllocateCommandBuffers(context.device, &allocation, batch.buffers_.data()));
  return batch;
}

Result<VkCommandBuffer> BatchCommands::record(std::span<const Flight* const> flights) {
  const VkCommandBuffer commands = buffers_[next_];
  next_ = (next_ + 1) % buffers_.size();
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  KEM_VK("vkBeginCommandBuffer", context_->vk.vkBeginCommandBuffer(commands, &info));
  for (const Flight* const flight : flights) flight->slot->record_kernel(commands, flight->steps.front());
  const bool copies =
      std::any_of(flights.begin(), flights.end(), [](const Flight* f) { return f->slot->copies_out(); });
  barrier(*context_, commands, kKernels, copies ? kCopiesAndHost : kHost);
  if (copies) {
    for (const Flight* const flight : flights) flight->slot->record_copies(commands);
    barrier(*context_, commands, kCopies, kHost);
  }
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands));
  return commands;
}

}  // namespace kem::vulkan
