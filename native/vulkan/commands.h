// What everything that records commands needs.
#pragma once

#include <span>

#include "base/result.h"
#include "vulkan/context.h"

namespace kem::vulkan {

// Its buffers can be recorded anew.
Result<CommandPool> make_command_pool(const Context& context, uint32_t queue_family);
// As many primary buffers as the span takes.
Status allocate_commands(const Context& context, const CommandPool& pool, std::span<VkCommandBuffer> commands);

// Host writes need no barrier before a submission; the other directions do.
void barrier(const Context& context, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
             VkPipelineStageFlags to, VkAccessFlags used);

}  // namespace kem::vulkan
