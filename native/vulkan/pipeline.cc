#include "vulkan/pipeline.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

bool before(const LayoutBinding& a, const LayoutBinding& b) {
  return std::tie(a.group, a.binding) < std::tie(b.group, b.binding);
}

std::string place(const LayoutBinding& binding) {
  return "group " + std::to_string(binding.group) + " binding " + std::to_string(binding.binding);
}

Status check_description(const Context& context, const PipelineState& state, uint32_t push_constant_bytes) {
  const DeviceLimits& limits = context.limits;
  for (size_t i = 1; i < state.bindings.size(); ++i)
    if (!before(state.bindings[i - 1], state.bindings[i]))
      return fail(ErrorClass::InvalidArgument, place(state.bindings[i]) + " is declared twice");
  if (!state.bindings.empty() && state.bindings.back().group >= limits.max_bound_descriptor_sets)
    return fail(ErrorClass::UnsupportedKernel, place(state.bindings.back()) + ": the device has " +
                                                   std::to_string(limits.max_bound_descriptor_sets) + " groups");
  if (state.storage_buffers > limits.max_storage_buffers)
    return fail(ErrorClass::UnsupportedKernel, std::to_string(state.storage_buffers) +
                                                   " storage buffers: the device allows " +
                                                   std::to_string(limits.max_storage_buffers));
  if (state.uniform_buffers > limits.max_uniform_buffers)
    return fail(ErrorClass::UnsupportedKernel, std::to_string(state.uniform_buffers) +
                                                   " uniform buffers: the device allows " +
                                                   std::to_string(limits.max_uniform_buffers));
  if (push_constant_bytes != 0 &&
      (push_constant_bytes < sizeof(PushConstants) || push_constant_bytes > limits.max_push_constant_bytes ||
       push_constant_bytes % 4 != 0))
    return fail(ErrorClass::InvalidArgument,
                std::to_string(push_constant_bytes) + " bytes of push constants: need 0, or a multiple of 4 from " +
                    std::to_string(sizeof(PushConstants)) + " to " + std::to_string(limits.max_push_constant_bytes));
  return {};
}

Status check_subgroup_size(const DeviceLimits& limits, uint32_t size) {
  if (size == 0) return {};
  if (limits.subgroup_size_control && std::has_single_bit(size) && size >= limits.min_subgroup_size &&
      size <= limits.max_subgroup_size)
    return {};
  return fail(ErrorClass::UnsupportedKernel,
              "a subgroup size of " + std::to_string(size) + " cannot be chosen on this device");
}

Status make_set_layouts(const Context& context, PipelineState& state) {
  const uint32_t groups = state.bindings.empty() ? 0 : state.bindings.back().group + 1;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  auto next = state.bindings.begin();
  for (uint32_t group = 0; group < groups; ++group) {
    bindings.clear();
    for (; next != state.bindings.end() && next->group == group; ++next) {
      VkDescriptorSetLayoutBinding& binding = bindings.emplace_back();
      binding.binding = next->binding;
      binding.descriptorType =
          next->kind == BufferKind::Uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      binding.descriptorCount = 1;
      binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    KEM_VK("vkCreateDescriptorSetLayout",
           context.vk.vkCreateDescriptorSetLayout(context.device, &info, nullptr, &layout));
    state.set_layouts.emplace_back(context, layout);
    state.set_layout_handles.push_back(layout);
  }
  return {};
}

Status make_layout(const Context& context, PipelineState& state, uint32_t push_constant_bytes) {
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(state.set_layout_handles.size());
  info.pSetLayouts = state.set_layout_handles.data();
  info.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  KEM_VK("vkCreatePipelineLayout", context.vk.vkCreatePipelineLayout(context.device, &info, nullptr, &layout));
  state.layout = PipelineLayout(context, layout);
  return {};
}

Result<ShaderModule> make_module(const Context& context, std::span<const uint32_t> spirv) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = spirv.size_bytes();
  info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  KEM_VK("vkCreateShaderModule", context.vk.vkCreateShaderModule(context.device, &info, nullptr, &module));
  return ShaderModule(context, module);
}

Status make_object(const Context& context, VkPipelineCache cache, PipelineState& state,
                   const PipelineDescription& description) {
  KEM_TRY(const ShaderModule module, make_module(context, description.spirv));
  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint32_t> values;
  for (const auto& specialization : description.specializations) {
    entries.push_back({specialization.id, static_cast<uint32_t>(values.size() * sizeof(uint32_t)), sizeof(uint32_t)});
    values.push_back(specialization.value);
  }
  VkSpecializationInfo specializations{};
  specializations.mapEntryCount = static_cast<uint32_t>(entries.size());
  specializations.pMapEntries = entries.data();
  specializations.dataSize = values.size() * sizeof(uint32_t);
  specializations.pData = values.data();

  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module.get();
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specializations;
  info.layout = state.layout.get();
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT subgroup_size{};
  subgroup_size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT;
  subgroup_size.requiredSubgroupSize = description.subgroup_size;
  if (description.subgroup_size != 0) info.stage.pNext = &subgroup_size;
  VkPipeline pipeline = VK_NULL_HANDLE;
  KEM_VK("vkCreateComputePipelines",
         context.vk.vkCreateComputePipelines(context.device, cache, 1, &info, nullptr, &pipeline));
  state.pipeline = PipelineObject(context, pipeline);
  return {};
}

}  // namespace

Result<std::shared_ptr<PipelineState>> make_pipeline_state(const Context& context, VkPipelineCache cache, uint64_t id,
                                                           const PipelineDescription& description) {
  if (description.spirv.empty()) return fail(ErrorClass::InvalidArgument, "a pipeline needs SPIR-V");
  auto state = std::make_shared<PipelineState>();
  state->context = &context;
  state->id = id;
  state->bindings.assign(description.bindings.begin(), description.bindings.end());
  std::sort(state->bindings.begin(), state->bindings.end(), before);
  for (const LayoutBinding& binding : state->bindings)
    ++(binding.kind == BufferKind::Uniform ? state->uniform_buffers : state->storage_buffers);
  state->has_push_constants = description.push_constant_bytes != 0;
  if (description.push_constant_bytes > sizeof(PushConstants))
    state->immediate_bytes = description.push_constant_bytes - static_cast<uint32_t>(sizeof(PushConstants));
  KEM_CHECK(check_description(context, *state, description.push_constant_bytes));
  KEM_CHECK(check_subgroup_size(context.limits, description.subgroup_size));
  KEM_CHECK(make_set_layouts(context, *state));
  KEM_CHECK(make_layout(context, *state, description.push_constant_bytes));
  KEM_CHECK(make_object(context, cache, *state, description));
  return state;
}

}  // namespace kem::vulkan
