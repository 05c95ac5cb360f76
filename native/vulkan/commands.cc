#include "vulkan/commands.h"

#include "vulkan/vk_error.h"

namespace kem::vulkan {

Result<CommandPool> make_command_pool(const Context& context, uint32_t queue_family) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  KEM_VK("vkCreateCommandPool", context.vk.vkCreateCommandPool(context.device, &info, nullptr, &pool));
  return CommandPool(context, pool);
}

Status allocate_commands(const Context& context, const CommandPool& pool, std::span<VkCommandBuffer> commands) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  KEM_VK("vkAllocateCommandBuffers", context.vk.vkAllocateCommandBuffers(context.device, &info, commands.data()));
  return {};
}

void barrier(const Context& context, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
             VkPipelineStageFlags to, VkAccessFlags used) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = written;
  memory.dstAccessMask = used;
  context.vk.vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace kem::vulkan
