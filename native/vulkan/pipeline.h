// Compute pipelines.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "vulkan/context.h"
#include "vulkan/pace.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Everything of a pipeline that a running dispatch needs.
struct PipelineState {
  const Context* context = nullptr;
  uint64_t id = 0;                      // never reused by the device
  std::vector<LayoutBinding> bindings;  // ordered by group, then binding
  std::vector<SetLayout> set_layouts;   // one for every group up to the last one used; unused groups are empty
  std::vector<VkDescriptorSetLayout> set_layout_handles;
  uint32_t storage_buffers = 0;
  uint32_t uniform_buffers = 0;
  bool has_push_constants = false;
  uint32_t immediate_bytes = 0;  // of the push constants behind PushConstants
  PipelineLayout layout;
  PipelineObject pipeline;
  Pace pace;

  // Most workgroups of a slice of its own, to begin with.
  uint64_t first_slice() const {
    return has_push_constants ? pace.first_slice() : std::numeric_limits<uint64_t>::max();
  }
};

// The push constant block that a generated shader declares.
struct PushConstants {
  uint32_t base[4];
  uint32_t count[4];
};

// What the caller holds. The state is shared with dispatches that outlive their run() after a timeout.
class PipelineHandle final : public Pipeline {
 public:
  explicit PipelineHandle(std::shared_ptr<PipelineState> state) : state_(std::move(state)) {}
  const std::shared_ptr<PipelineState>& state() const { return state_; }

 private:
  std::shared_ptr<PipelineState> state_;
};

Result<std::shared_ptr<PipelineState>> make_pipeline_state(const Context& context, VkPipelineCache cache, uint64_t id,
                                                           const PipelineDescription& description);

}  // namespace kem::vulkan
