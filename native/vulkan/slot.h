// Everything that one call needs of the device: command buffer, descriptor sets, memory. Kept between calls,
// so that a call like the one before allocates and records nothing.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/arguments.h"
#include "vulkan/copier.h"
#include "vulkan/memory.h"
#include "vulkan/pipeline.h"
#include "vulkan/workgroup_cursor.h"

namespace kem::vulkan {

// One thread at a time. Not to be changed, let alone destroyed, while the device runs its commands.
class Slot {
 public:
  static Result<std::unique_ptr<Slot>> make(const Context& context);

  // Whether prepare() would find everything in place.
  bool prepared_for(const PipelineState& pipeline, std::span<const Argument> arguments) const;
  // Gives every argument memory and descriptors.
  Status prepare(const PipelineState& pipeline, std::span<const Argument> arguments);

  // Initial bytes and zeros into the memory that the host sees.
  void upload(std::span<const Argument> arguments, Copier& copier);
  // Result bytes out of it.
  void readback(std::span<const Argument> arguments, Copier& copier) const;

  // What the push constants behind the grid will be; a recording with other ones is of no use any more.
  void set_immediates(const PipelineState& pipeline, std::span<const uint8_t> immediates);
  // Records a slice: up to `budget` workgroups from the cursor on, with the copies that the first and last slice of
  // a job need. Returns how many.
  Result<uint64_t> record(const PipelineState& pipeline, std::array<uint32_t, 3> grid, WorkgroupCursor& cursor,
                          uint64_t budget);
  // Whether the command buffer holds the whole job, as recorded for an earlier call.
  bool has_recorded(std::array<uint32_t, 3> grid) const { return recorded_grid_ == grid; }
  Status record_nothing();

  VkCommandBuffer commands() const { return commands_; }

  uint64_t bytes() const;
  // Frees the memory and forgets what was prepared.
  void trim();

 private:
  struct Bound {
    uint32_t group = 0;
    uint32_t binding = 0;
    Placement placement;
    Place home;
    Place upload;
    Place readback;
  };

  explicit Slot(const Context& context);
  Arena& arena(MemoryUse use) { return arenas_[static_cast<size_t>(use)]; }
  const Bound* find(const Argument& argument) const;
  void forget();
  Status place_all(std::span<const Argument> arguments);
  Status allocate_sets(const PipelineState& pipeline);
  Status grow_descriptor_pool(const PipelineState& pipeline);
  void write_sets(const PipelineState& pipeline);
  void record_uploads() const;
  void record_readbacks() const;
  Status begin(VkCommandBufferUsageFlags flags) const;

  static constexpr std::array<uint32_t, 3> kNothing{};

  const Context* context_;
  CommandPool command_pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // of the pool
  DescriptorPool descriptor_pool_;
  uint32_t pool_sets_ = 0;
  uint32_t pool_storage_ = 0;
  uint32_t pool_uniform_ = 0;
  std::array<Arena, kMemoryUses> arenas_;

  uint64_t sets_of_ = 0;  // id of the pipeline that sets_ belong to
  std::vector<VkDescriptorSet> sets_;
  std::vector<Bound> bound_;
  bool bound_valid_ = false;                          // bound_ and the sets' contents belong together
  std::array<uint32_t, 3> recorded_grid_ = kNothing;  // of the whole job in the command buffer

  std::vector<uint8_t> immediates_;

  std::vector<VkDescriptorBufferInfo> buffer_infos_;  // scratch of write_sets
  std::vector<VkWriteDescriptorSet> writes_;
};

}  // namespace kem::vulkan
