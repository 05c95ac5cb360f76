#include "vulkan/batch_barriers.h"

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

struct Side {
  VkPipelineStageFlags stages;
  VkAccessFlags access;
};

Result<VkCommandBuffer> record(const Context& context, VkCommandPool pool, Side from, Side to) {
  VkCommandBufferAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocation.commandPool = pool;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  KEM_VK("vkAllocateCommandBuffers", context.vk.vkAllocateCommandBuffers(context.device, &allocation, &commands));
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  KEM_VK("vkBeginCommandBuffer", context.vk.vkBeginCommandBuffer(commands, &info));
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = from.access;
  memory.dstAccessMask = to.access;
  context.vk.vkCmdPipelineBarrier(commands, from.stages, to.stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
  KEM_VK("vkEndCommandBuffer", context.vk.vkEndCommandBuffer(commands));
  return commands;
}

}  // namespace

Result<BatchBarriers> BatchBarriers::make(const Context& context) {
  BatchBarriers barriers;
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.queueFamilyIndex = context.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  KEM_VK("vkCreateCommandPool", context.vk.vkCreateCommandPool(context.device, &info, nullptr, &pool));
  barriers.pool_ = CommandPool(context, pool);
  KEM_TRY(barriers.between_, record(context, pool, {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
                                    {VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT}));
  KEM_TRY(barriers.behind_, record(context, pool, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
                                   {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}));
  return barriers;
}

}  // namespace kem::vulkan
