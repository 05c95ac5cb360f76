#include "vulkan/batch_commands.h"

#include <algorithm>

#include "vulkan/commands.h"
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

}  // namespace

Result<BatchCommands> BatchCommands::make(const Context& context) {
  BatchCommands batch(context);
  KEM_TRY(batch.pool_, make_command_pool(context, context.queue_family));
  KEM_CHECK(allocate_commands(context, batch.pool_, batch.buffers_));
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
  const Side& reader = copies ? kCopiesAndHost : kHost;
  barrier(*context_, commands, kKernels.stages, kKernels.access, reader.stages, reader.access);
  if (copies) {
    for (const Flight* const flight : flights) flight->slot->record_copies(commands);
    barrier(*context_, commands, kCopies.stages, kCopies.access, kHost.stages, kHost.access);
  }
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands));
  return commands;
}

}  // namespace kem::vulkan
