#include "vulkan/slot.h"

#include <algorithm>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr uint32_t kFewestDescriptors = 8;  // per pool and kind
constexpr uint32_t kMostDispatches = 1024;  // in one command buffer

// Host writes need no barrier before a submission; the other directions do.
void barrier(const Context& context, VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
             VkPipelineStageFlags to, VkAccessFlags used) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = written;
  memory.dstAccessMask = used;
  context.vk.vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

Slot::Slot(const Context& context)
    : context_(&context),
      arenas_{Arena(context, MemoryUse::Shared), Arena(context, MemoryUse::Near), Arena(context, MemoryUse::Device),
              Arena(context, MemoryUse::Upload), Arena(context, MemoryUse::Readback)} {}

Result<std::unique_ptr<Slot>> Slot::make(const Context& context) {
  std::unique_ptr<Slot> slot(new Slot(context));
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool_info.queueFamilyIndex = context.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  KEM_VK("vkCreateCommandPool", context.vk.vkCreateCommandPool(context.device, &pool_info, nullptr, &pool));
  slot->command_pool_ = CommandPool(context, pool);

  VkCommandBufferAllocateInfo commands_info{};
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = pool;
  commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands_info.commandBufferCount = 1;
  KEM_VK("vkAllocateCommandBuffers",
         context.vk.vkAllocateCommandBuffers(context.device, &commands_info, &slot->commands_));
  return slot;
}

const Slot::Bound* Slot::find(const Argument& argument) const {
  for (const Bound& bound : bound_)
    if (bound.group == argument.group && bound.binding == argument.binding) return &bound;
  return nullptr;
}

bool Slot::prepared_for(const PipelineState& pipeline, std::span<const Argument> arguments) const {
  if (!bound_valid_ || sets_of_ != pipeline.id || bound_.size() != arguments.size()) return false;
  for (const Argument& argument : arguments) {
    const Bound* const bound = find(argument);
    if (bound == nullptr || bound->placement != place_argument(*context_, argument)) return false;
  }
  return true;
}

void Slot::forget() {
  bound_valid_ = false;
  recorded_grid_ = kNothing;
}

Status Slot::prepare(const PipelineState& pipeline, std::span<const Argument> arguments) {
  if (prepared_for(pipeline, arguments)) return {};
  forget();
  KEM_CHECK(place_all(arguments));
  if (sets_of_ != pipeline.id) KEM_CHECK(allocate_sets(pipeline));
  write_sets(pipeline);
  bound_valid_ = true;
  return {};
}

Status Slot::place_all(std::span<const Argument> arguments) {
  for (Arena& each : arenas_) each.rewind();
  bound_.clear();
  for (const Argument& argument : arguments) {
    Bound& bound = bound_.emplace_back();
    bound.group = argument.group;
    bound.binding = argument.binding;
    bound.placement = place_argument(*context_, argument);
    const Placement& placement = bound.placement;
    KEM_TRY(bound.home, arena(placement.home).place(placement.size));
    if (placement.upload != 0) {
      KEM_TRY(bound.upload, arena(MemoryUse::Upload).place(placement.upload));
    }
    if (placement.readback != 0) {
      KEM_TRY(bound.readback, arena(MemoryUse::Readback).place(placement.readback));
    }
  }
  return {};
}

Status Slot::grow_descriptor_pool(const PipelineState& pipeline) {
  const auto groups = static_cast<uint32_t>(pipeline.set_layouts.size());
  if (groups <= pool_sets_ && pipeline.storage_buffers <= pool_storage_ && pipeline.uniform_buffers <= pool_uniform_) {
    KEM_VK("vkResetDescriptorPool", context_->vk.vkResetDescriptorPool(context_->device, descriptor_pool_.get(), 0));
    return {};
  }
  descriptor_pool_ = {};
  pool_sets_ = std::max({groups, pool_sets_, 4u});
  pool_storage_ = std::max({pipeline.storage_buffers, pool_storage_, kFewestDescriptors});
  pool_uniform_ = std::max({pipeline.uniform_buffers, pool_uniform_, kFewestDescriptors});
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, pool_storage_},
                                        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, pool_uniform_}};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = pool_sets_;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  const VkResult result = context_->vk.vkCreateDescriptorPool(context_->device, &info, nullptr, &pool);
  if (result != VK_SUCCESS) pool_sets_ = pool_storage_ = pool_uniform_ = 0;
  KEM_VK("vkCreateDescriptorPool", result);
  descriptor_pool_ = DescriptorPool(*context_, pool);
  return {};
}

Status Slot::allocate_sets(const PipelineState& pipeline) {
  sets_of_ = 0;
  sets_.assign(pipeline.set_layouts.size(), VK_NULL_HANDLE);
  if (!sets_.empty()) {
    KEM_CHECK(grow_descriptor_pool(pipeline));
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = descriptor_pool_.get();
    info.descriptorSetCount = static_cast<uint32_t>(sets_.size());
    info.pSetLayouts = pipeline.set_layout_handles.data();
    KEM_VK("vkAllocateDescriptorSets", context_->vk.vkAllocateDescriptorSets(context_->device, &info, sets_.data()));
  }
  sets_of_ = pipeline.id;
  return {};
}

void Slot::write_sets(const PipelineState& pipeline) {
  buffer_infos_.clear();
  writes_.clear();
  for (const Bound& bound : bound_)
    buffer_infos_.push_back({bound.home.buffer, bound.home.offset, bound.placement.size});
  for (size_t i = 0; i < bound_.size(); ++i) {
    const auto layout = std::find_if(pipeline.bindings.begin(), pipeline.bindings.end(), [&](const LayoutBinding& b) {
      return b.group == bound_[i].group && b.binding == bound_[i].binding;
    });
    VkWriteDescriptorSet& write = writes_.emplace_back();
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = sets_[bound_[i].group];
    write.dstBinding = bound_[i].binding;
    write.descriptorCount = 1;
    write.descriptorType =
        layout->kind == BufferKind::Uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer_infos_[i];
  }
  if (!writes_.empty())
    context_->vk.vkUpdateDescriptorSets(context_->device, static_cast<uint32_t>(writes_.size()), writes_.data(), 0,
                                        nullptr);
}

void Slot::upload(std::span<const Argument> arguments, Copier& copier) {
  for (const Argument& argument : arguments) {
    const Bound& bound = *find(argument);
    uint8_t* const target = bound.home.mapped != nullptr ? bound.home.mapped : bound.upload.mapped;
    const uint64_t size = bound.home.mapped != nullptr ? bound.placement.size : bound.placement.upload;
    const uint64_t given = argument.initial.size();
    copier.copy(target, argument.initial.data(), given);
    if (size > given) copier.zero(target + given, size - given);
  }
}

void Slot::readback(std::span<const Argument> arguments, Copier& copier) const {
  for (const Argument& argument : arguments) {
    if (argument.result.empty()) continue;
    const Bound& bound = *find(argument);
    const uint8_t* const source = bound.readback.mapped != nullptr ? bound.readback.mapped : bound.home.mapped;
    copier.copy(argument.result.data(), source, argument.result.size());
  }
}

Status Slot::begin(VkCommandBufferUsageFlags flags) const {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = flags;
  KEM_VK("vkBeginCommandBuffer", context_->vk.vkBeginCommandBuffer(commands_, &info));
  return {};
}

void Slot::record_uploads() const {
  bool any = false;
  for (const Bound& bound : bound_) {
    const Placement& placement = bound.placement;
    if (placement.upload != 0) {
      const VkBufferCopy copy{bound.upload.offset, bound.home.offset, placement.upload};
      context_->vk.vkCmdCopyBuffer(commands_, bound.upload.buffer, bound.home.buffer, 1, &copy);
    }
    if (placement.fill)
      context_->vk.vkCmdFillBuffer(commands_, bound.home.buffer, bound.home.offset + placement.upload,
                                   placement.size - placement.upload, 0);
    any = any || placement.upload != 0 || placement.fill;
  }
  if (any)
    barrier(*context_, commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT);
}

void Slot::record_readbacks() const {
  const bool any =
      std::any_of(bound_.begin(), bound_.end(), [](const Bound& bound) { return bound.placement.readback != 0; });
  if (!any) {
    barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return;
  }
  barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  for (const Bound& bound : bound_) {
    if (bound.placement.readback == 0) continue;
    const VkBufferCopy copy{bound.home.offset, bound.readback.offset, bound.placement.readback};
    context_->vk.vkCmdCopyBuffer(commands_, bound.home.buffer, bound.readback.buffer, 1, &copy);
  }
  barrier(*context_, commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void Slot::set_immediates(const PipelineState& pipeline, std::span<const uint8_t> immediates) {
  std::vector<uint8_t> all(immediates.begin(), immediates.end());
  all.resize(pipeline.immediate_bytes);
  if (all == immediates_) return;
  immediates_ = std::move(all);
  recorded_grid_ = kNothing;
}

Result<uint64_t> Slot::record(const PipelineState& pipeline, std::array<uint32_t, 3> grid, WorkgroupCursor& cursor,
                              uint64_t budget) {
  const bool first = cursor.at_begin();
  recorded_grid_ = kNothing;
  KEM_CHECK(begin(0));
  if (first) record_uploads();
  const auto& vk = context_->vk;
  vk.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
  if (!sets_.empty())
    vk.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0,
                               static_cast<uint32_t>(sets_.size()), sets_.data(), 0, nullptr);
  if (!immediates_.empty())
    vk.vkCmdPushConstants(commands_, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, sizeof(PushConstants),
                          static_cast<uint32_t>(immediates_.size()), immediates_.data());
  uint64_t recorded = 0;
  for (uint32_t dispatches = 0; !cursor.done() && recorded < budget && dispatches < kMostDispatches; ++dispatches) {
    const WorkgroupBox box = cursor.next(budget - recorded);
    if (pipeline.has_push_constants) {
      const PushConstants constants{{box.base[0], box.base[1], box.base[2], 0}, {grid[0], grid[1], grid[2], 0}};
      vk.vkCmdPushConstants(commands_, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                            &constants);
    }
    vk.vkCmdDispatch(commands_, box.count[0], box.count[1], box.count[2]);
    recorded += box.workgroups();
  }
  if (cursor.done())
    record_readbacks();
  else
    barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  KEM_VK("vkEndCommandBuffer", vk.vkEndCommandBuffer(commands_));
  if (first && cursor.done()) recorded_grid_ = grid;
  return recorded;
}

Status Slot::record_nothing() {
  forget();
  KEM_CHECK(begin(0));
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands_));
  return {};
}

uint64_t Slot::bytes() const {
  uint64_t sum = 0;
  for (const Arena& each : arenas_) sum += each.bytes();
  return sum;
}

void Slot::trim() {
  forget();
  bound_.clear();
  for (Arena& each : arenas_) each.clear();
}

}  // namespace kem::vulkan
