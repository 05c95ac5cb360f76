#include "vulkan/slot.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "vulkan/commands.h"
#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr uint32_t kFewestDescriptors = 8;  // per pool and kind
constexpr uint32_t kMostDispatches = 4096;  // of a step, and steps, in one command buffer
constexpr double kMostWorkgroups = 1e18;    // of a slice

}  // namespace

Slot::Slot(const Context& context)
    : context_(&context),
      arenas_{Arena(context, MemoryUse::Shared), Arena(context, MemoryUse::Near), Arena(context, MemoryUse::Device),
              Arena(context, MemoryUse::Upload), Arena(context, MemoryUse::Readback)} {}

Result<std::unique_ptr<Slot>> Slot::make(const Context& context) {
  std::unique_ptr<Slot> slot(new Slot(context));
  KEM_TRY(slot->command_pool_, make_command_pool(context, context.queue_family));
  if (context.copy_queues != 0) {
    KEM_TRY(slot->copy_pool_, make_command_pool(context, context.copy_family));
    KEM_CHECK(allocate_commands(context, slot->copy_pool_, {&slot->copy_commands_, 1}));
  }
  KEM_CHECK(allocate_commands(context, slot->command_pool_, {&slot->commands_, 1}));
  return slot;
}

std::span<const Slot::Bound> Slot::bound_of(size_t step) const {
  const size_t end = step + 1 == steps_.size() ? bound_.size() : steps_[step + 1].first;
  return std::span(bound_).subspan(steps_[step].first, end - steps_[step].first);
}

// Arguments mostly come in the order that the step was prepared in.
const Slot::Bound& Slot::bound_to(size_t step, size_t nth, const Argument& argument) const {
  const Bound& usual = bound_[steps_[step].first + nth];
  return usual.group == argument.group && usual.binding == argument.binding ? usual : find(step, argument);
}

const Slot::Bound& Slot::find(size_t step, const Argument& argument) const {
  const auto bound = bound_of(step);
  return *std::find_if(bound.begin(), bound.end(),
                       [&](const Bound& b) { return b.group == argument.group && b.binding == argument.binding; });
}

bool Slot::prepared_for(std::span<const PlannedStep> steps) const {
  if (!prepared_ || steps_.size() != steps.size()) return false;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps_[i].pipeline != steps[i].pipeline->id) return false;
    const auto arguments = steps[i].arguments;
    for (size_t j = 0; j < arguments.size(); ++j)
      if (bound_to(i, j, arguments[j]).wanted != place_argument(*context_, arguments[j], steps[i].delivers(j)))
        return false;
  }
  return true;
}

void Slot::forget() {
  prepared_ = false;
  recorded_.clear();
}

Status Slot::prepare(std::span<const PlannedStep> steps) {
  forget();
  KEM_CHECK(place_all(steps));
  share_sets(steps);
  KEM_CHECK(allocate_sets(steps));
  write_sets(steps);
  KEM_CHECK(make_pieces());
  prepared_ = true;
  return {};
}

// Steps of one pipeline that bind the same buffers share its descriptor sets: a chain that goes to and fro between two
// buffers needs two, however long it is.
void Slot::share_sets(std::span<const PlannedStep> steps) {
  sets_.clear();
  size_t handles = 0;
  std::unordered_map<std::string, size_t> known;
  for (size_t i = 0; i < steps.size(); ++i) {
    std::string key = std::to_string(steps_[i].pipeline);
    for (const Bound& bound : bound_of(i))
      key += ' ' + std::to_string(reinterpret_cast<uintptr_t>(bound.home.buffer)) + ',' +
             std::to_string(bound.home.offset) + ',' + std::to_string(bound.placement.size) + ',' +
             std::to_string(bound.group) + ',' + std::to_string(bound.binding);
    const auto [at, is_new] = known.try_emplace(std::move(key), sets_.size());
    steps_[i].sets = at->second;
    if (!is_new) continue;
    sets_.push_back({i, handles});
    handles += steps[i].pipeline->set_layouts.size();
  }
}

Status Slot::grow_descriptor_pool(uint32_t sets, uint32_t storage, uint32_t uniform) {
  if (sets <= pool_sets_ && storage <= pool_storage_ && uniform <= pool_uniform_) {
    KEM_VK("vkResetDescriptorPool", context_->vk.vkResetDescriptorPool(context_->device, descriptor_pool_.get(), 0));
    return {};
  }
  descriptor_pool_ = {};
  pool_sets_ = std::max({sets, pool_sets_, 4u});
  pool_storage_ = std::max({storage, pool_storage_, kFewestDescriptors});
  pool_uniform_ = std::max({uniform, pool_uniform_, kFewestDescriptors});
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

// Sets of the same pipelines as before are used again.
Status Slot::allocate_sets(std::span<const PlannedStep> steps) {
  const auto same = [&](const Sets& sets, uint64_t pipeline) { return steps_[sets.step].pipeline == pipeline; };
  if (std::equal(sets_.begin(), sets_.end(), sets_of_.begin(), sets_of_.end(), same)) return {};
  sets_of_.clear();
  std::vector<VkDescriptorSetLayout> layouts;
  uint32_t storage = 0, uniform = 0;
  for (const Sets& sets : sets_) {
    const PipelineState& pipeline = *steps[sets.step].pipeline;
    layouts.insert(layouts.end(), pipeline.set_layout_handles.begin(), pipeline.set_layout_handles.end());
    storage += pipeline.storage_buffers;
    uniform += pipeline.uniform_buffers;
  }
  handles_.assign(layouts.size(), VK_NULL_HANDLE);
  if (!layouts.empty()) {
    KEM_CHECK(grow_descriptor_pool(static_cast<uint32_t>(layouts.size()), storage, uniform));
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = descriptor_pool_.get();
    info.descriptorSetCount = static_cast<uint32_t>(layouts.size());
    info.pSetLayouts = layouts.data();
    KEM_VK("vkAllocateDescriptorSets", context_->vk.vkAllocateDescriptorSets(context_->device, &info, handles_.data()));
  }
  for (const Sets& sets : sets_) sets_of_.push_back(steps_[sets.step].pipeline);
  return {};
}

void Slot::write_sets(std::span<const PlannedStep> steps) {
  buffer_infos_.clear();
  writes_.clear();
  for (const Bound& bound : bound_)
    buffer_infos_.push_back({bound.home.buffer, bound.home.offset, bound.placement.size});
  for (const Sets& sets : sets_) {
    const PipelineState& pipeline = *steps[sets.step].pipeline;
    for (const Bound& bound : bound_of(sets.step)) {
      const auto layout = std::find_if(pipeline.bindings.begin(), pipeline.bindings.end(), [&](const LayoutBinding& b) {
        return b.group == bound.group && b.binding == bound.binding;
      });
      VkWriteDescriptorSet& write = writes_.emplace_back();
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = handles_[sets.first + bound.group];
      write.dstBinding = bound.binding;
      write.descriptorCount = 1;
      write.descriptorType =
          layout->kind == BufferKind::Uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &buffer_infos_[static_cast<size_t>(&bound - bound_.data())];
    }
  }
  if (!writes_.empty())
    context_->vk.vkUpdateDescriptorSets(context_->device, static_cast<uint32_t>(writes_.size()), writes_.data(), 0,
                                        nullptr);
}

Status Slot::upload(std::span<const PlannedStep> steps, Copier& copier, const Submit& submit) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto arguments = steps[i].arguments;
    for (size_t j = 0; j < arguments.size(); ++j) {
      const Argument& argument = arguments[j];
      const Bound& bound = bound_to(i, j, argument);
      if (bound.placement.lent != nullptr) continue;
      const bool mapped = bound.home.mapped != nullptr;
      if (!mapped && in_pieces(bound.placement.upload)) continue;
      uint8_t* const target = mapped ? bound.home.mapped : bound.upload.mapped;
      const uint64_t given = argument.initial.size();
      // What a resident buffer has behind the initial bytes stays.
      const uint64_t size = bound.placement.resident != 0 ? given
                            : mapped                      ? bound.placement.size
                                                          : bound.placement.upload;
      copier.copy(target, argument.initial.data(), given);
      if (size > given) copier.zero(target + given, size - given);
    }
  }
  for (const Piece& piece : upload_pieces_) {
    const std::span<const uint8_t> initial = argument_of(steps, piece).initial;
    uint8_t* const target = bound_[piece.bound].upload.mapped + piece.offset;
    // The staged bytes are those given, rounded up to 4.
    const uint64_t given = std::min(initial.size() - piece.offset, piece.size);
    copier.copy(target, initial.data() + piece.offset, given);
    copier.zero(target + given, piece.size - given);
    KEM_CHECK(submit(piece.commands));
  }
  return {};
}

bool Slot::reads_pieces() const {
  return std::any_of(readback_pieces_.begin(), readback_pieces_.end(),
                     [&](const Piece& piece) { return !bound_[piece.bound].placement.delivered; });
}

void Slot::readback(std::span<const PlannedStep> steps, const Piece& piece, Copier& copier) const {
  if (bound_[piece.bound].placement.delivered) return;
  copier.copy(argument_of(steps, piece).result.data() + piece.offset,
              bound_[piece.bound].readback.mapped + piece.offset, piece.size);
}

void Slot::readback(std::span<const PlannedStep> steps, Copier& copier) const {
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto arguments = steps[i].arguments;
    for (size_t j = 0; j < arguments.size(); ++j) {
      const Argument& argument = arguments[j];
      if (argument.result.empty()) continue;
      const Bound& bound = bound_to(i, j, argument);
      const Placement& placement = bound.placement;
      if (placement.lent != nullptr || placement.delivered || reads_in_pieces(placement)) continue;
      const uint8_t* const source = bound.readback.mapped != nullptr ? bound.readback.mapped : bound.home.mapped;
      copier.copy(argument.result.data(), source, argument.result.size());
    }
  }
}

const Argument& Slot::argument_of(std::span<const PlannedStep> steps, const Piece& piece) const {
  const Bound& bound = bound_[piece.bound];
  const auto arguments = steps[piece.step].arguments;
  return *std::find_if(arguments.begin(), arguments.end(), [&](const Argument& argument) {
    return argument.group == bound.group && argument.binding == bound.binding;
  });
}

Status Slot::make_pieces() {
  upload_pieces_.clear();
  readback_pieces_.clear();
  for (size_t i = 0; i < steps_.size(); ++i) {
    const auto bound = bound_of(i);
    for (size_t j = 0; j < bound.size(); ++j) {
      const size_t index = steps_[i].first + j;
      const Placement& placement = bound[j].placement;
      KEM_CHECK(cut(i, index, placement.upload, context_->piece_bytes, upload_pieces_));
      if (!reads_in_pieces(placement)) continue;
      const uint64_t size = placement.delivered ? placement.readback : context_->piece_bytes;
      KEM_CHECK(cut(i, index, placement.readback, size, readback_pieces_));
    }
  }
  for (const Piece& piece : upload_pieces_) KEM_CHECK(record_piece(piece, true));
  for (const Piece& piece : readback_pieces_) KEM_CHECK(record_piece(piece, false));
  return {};
}

Status Slot::cut(size_t step, size_t bound, uint64_t staged, uint64_t size, std::vector<Piece>& pieces) {
  if (!in_pieces(staged)) return {};
  for (uint64_t offset = 0; offset < staged; offset += size) {
    KEM_TRY(const VkCommandBuffer commands, piece_commands());
    pieces.push_back({step, bound, offset, std::min(size, staged - offset), commands});
  }
  return {};
}

// The next one that no piece has.
Result<VkCommandBuffer> Slot::piece_commands() {
  const size_t used = upload_pieces_.size() + readback_pieces_.size();
  if (used == piece_commands_.size()) {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    KEM_CHECK(allocate_commands(*context_, has_copy_queues() ? copy_pool_ : command_pool_, {&commands, 1}));
    piece_commands_.push_back(commands);
  }
  return piece_commands_[used];
}

Status Slot::record_piece(const Piece& piece, bool upload) {
  const Bound& bound = bound_[piece.bound];
  const Place& from = upload ? bound.upload : bound.home;
  const Place& to = upload ? bound.home : bound.readback;
  KEM_CHECK(begin(piece.commands));
  if (upload && bound.placement.resident != 0) order_after_others(piece.commands);
  const VkBufferCopy range{from.offset + piece.offset, to.offset + piece.offset, piece.size};
  context_->vk.vkCmdCopyBuffer(piece.commands, from.buffer, to.buffer, 1, &range);
  if (!upload)
    barrier(*context_, piece.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  else if (!has_copy_queues())  // from one queue to another the semaphore is what a barrier is here
    barrier(*context_, piece.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT);
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(piece.commands));
  return {};
}

Status Slot::begin(VkCommandBuffer commands) const {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  KEM_VK("vkBeginCommandBuffer", context_->vk.vkBeginCommandBuffer(commands, &info));
  return {};
}

// What other submissions wrote into resident buffers, perhaps on another queue. They have ended.
void Slot::order_after_others(VkCommandBuffer commands) const {
  barrier(*context_, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

void Slot::record_uploads() const {
  bool any = false;
  for (const Bound& bound : bound_) {
    const Placement& placement = bound.placement;
    if (placement.upload != 0 && !in_pieces(placement.upload)) {
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

void Slot::record_copies(VkCommandBuffer commands) const {
  for (const Bound& bound : bound_) {
    if (bound.placement.readback == 0 || reads_in_pieces(bound.placement)) continue;
    const VkBufferCopy copy{bound.home.offset, bound.readback.offset, bound.placement.readback};
    context_->vk.vkCmdCopyBuffer(commands, bound.home.buffer, bound.readback.buffer, 1, &copy);
  }
}

bool Slot::joins_batches() const {
  return recorded_.size() == 1 && readback_pieces_.empty() &&
         std::none_of(bound_.begin(), bound_.end(), [](const Bound& bound) {
           return bound.placement.upload != 0 || bound.placement.fill || bound.placement.resident != 0;
         });
}

void Slot::record_kernel(VkCommandBuffer commands, const PlannedStep& step) const {
  bind(commands, step, 0, nullptr);
  WorkgroupCursor groups(step.grid, context_->limits.max_workgroup_count);
  record_dispatches(commands, step, groups, std::numeric_limits<uint64_t>::max());
}

bool Slot::copies_out() const {
  return std::any_of(bound_.begin(), bound_.end(), [](const Bound& bound) { return bound.placement.readback != 0; });
}

void Slot::record_readbacks() const {
  if (!copies_out()) {
    barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return;
  }
  barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT);
  record_copies(commands_);
  barrier(*context_, commands_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

bool Slot::has_recorded(std::span<const PlannedStep> steps) const {
  return std::equal(recorded_.begin(), recorded_.end(), steps.begin(), steps.end(),
                    [](const Recorded& recorded, const PlannedStep& step) {
                      return recorded.grid == step.grid && recorded.independent == step.independent &&
                             std::equal(recorded.immediates.begin(), recorded.immediates.end(), step.immediates.begin(),
                                        step.immediates.end());
                    });
}

void Slot::note_recorded(std::span<const PlannedStep> steps) {
  recorded_.resize(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    recorded_[i].grid = steps[i].grid;
    recorded_[i].independent = steps[i].independent;
    recorded_[i].immediates.assign(steps[i].immediates.begin(), steps[i].immediates.end());
  }
}

// What differs from the step before it in the same command buffer.
void Slot::bind(VkCommandBuffer commands, const PlannedStep& step, size_t index, const PlannedStep* before) const {
  const auto& vk = context_->vk;
  const PipelineState& pipeline = *step.pipeline;
  const bool same_pipeline = before != nullptr && before->pipeline == step.pipeline;
  if (!same_pipeline) vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
  const Sets& sets = sets_[steps_[index].sets];
  const auto count = static_cast<uint32_t>(pipeline.set_layouts.size());
  if (count != 0 && !(same_pipeline && steps_[index - 1].sets == steps_[index].sets))
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout.get(), 0, count,
                               &handles_[sets.first], 0, nullptr);
  if (pipeline.immediate_bytes != 0) {
    std::vector<uint8_t> immediates(step.immediates.begin(), step.immediates.end());
    immediates.resize(pipeline.immediate_bytes);
    vk.vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, sizeof(PushConstants),
                          pipeline.immediate_bytes, immediates.data());
  }
}

// Up to `budget` workgroups of a step that is bound; returns how many.
uint64_t Slot::record_dispatches(VkCommandBuffer commands, const PlannedStep& step, WorkgroupCursor& groups,
                                 uint64_t budget) const {
  const PipelineState& pipeline = *step.pipeline;
  uint64_t recorded = 0;
  for (uint32_t dispatches = 0; !groups.done() && recorded < budget && dispatches < kMostDispatches; ++dispatches) {
    const WorkgroupBox box = groups.next(budget - recorded);
    if (pipeline.has_push_constants) {
      const PushConstants constants{{box.base[0], box.base[1], box.base[2], 0},
                                    {step.grid[0], step.grid[1], step.grid[2], 0}};
      context_->vk.vkCmdPushConstants(commands, pipeline.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                                      &constants);
    }
    context_->vk.vkCmdDispatch(commands, box.count[0], box.count[1], box.count[2]);
    recorded += box.workgroups();
  }
  return recorded;
}

// Steps until the slice is full: each takes the part of it that its workgroups are of what a slice of its own could
// hold.
uint64_t Slot::record_steps(std::span<const PlannedStep> steps, StepCursor& cursor, uint64_t budget) const {
  uint64_t recorded = 0;
  double left = 1;
  const PlannedStep* before = nullptr;
  for (uint32_t count = 0; !cursor.done() && count < kMostDispatches; ++count) {
    const PlannedStep& step = cursor.step();
    const auto whole = static_cast<double>(steps.size() == 1 ? budget : step.pipeline->first_slice());
    const auto allowed = static_cast<uint64_t>(std::min(left * whole, kMostWorkgroups));
    if (allowed == 0 && before != nullptr) break;
    if (before != nullptr && !step.independent)
      barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    bind(commands_, step, cursor.index(), before);
    const uint64_t groups = record_dispatches(commands_, step, cursor.groups(), std::max<uint64_t>(allowed, 1));
    recorded += groups;
    left -= static_cast<double>(groups) / whole;
    before = &step;
    if (!cursor.groups().done()) break;
    cursor.settle();
  }
  return recorded;
}

Result<uint64_t> Slot::record(std::span<const PlannedStep> steps, StepCursor& cursor, uint64_t budget) {
  const bool first = cursor.at_begin();
  recorded_.clear();
  KEM_CHECK(begin(commands_));
  if (first) {
    const auto resident = [](const Bound& bound) { return bound.placement.resident != 0; };
    if (std::any_of(bound_.begin(), bound_.end(), resident)) order_after_others(commands_);
    record_uploads();
  }
  const uint64_t recorded = record_steps(steps, cursor, budget);
  if (cursor.done())
    record_readbacks();
  else
    barrier(*context_, commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands_));
  if (first && cursor.done()) note_recorded(steps);
  return recorded;
}

Status Slot::record_nothing() {
  forget();
  KEM_CHECK(begin(commands_));
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands_));
  return {};
}

Result<Place> Slot::stage(MemoryUse use, uint64_t size) {
  forget();
  arena(use).rewind();
  return arena(use).place(size);
}

template <class Command>
Status Slot::record_transfer(VkCommandBuffer commands, Command command) {
  forget();
  KEM_CHECK(begin(commands));
  barrier(*context_, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
          VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  command(commands);
  barrier(*context_, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  KEM_VK("vkEndCommandBuffer", context_->vk.vkEndCommandBuffer(commands));
  return {};
}

Status Slot::record_copy(VkBuffer from, VkBuffer to, const VkBufferCopy& range) {
  return record_transfer(
      commands_, [&](VkCommandBuffer commands) { context_->vk.vkCmdCopyBuffer(commands, from, to, 1, &range); });
}

Status Slot::record_copy_apart(VkBuffer from, VkBuffer to, const VkBufferCopy& range) {
  return record_transfer(
      copy_commands_, [&](VkCommandBuffer commands) { context_->vk.vkCmdCopyBuffer(commands, from, to, 1, &range); });
}

Status Slot::record_fill(VkBuffer buffer, uint64_t size) {
  return record_transfer(commands_,
                         [&](VkCommandBuffer commands) { context_->vk.vkCmdFillBuffer(commands, buffer, 0, size, 0); });
}

void Slot::return_lent() {
  if (lent_.empty()) return;
  forget();
  lent_.clear();
}

uint64_t Slot::bytes() const {
  uint64_t sum = 0;
  for (const Arena& each : arenas_) sum += each.bytes();
  return sum;
}

uint64_t Slot::copied_bytes() const {
  uint64_t sum = 0;
  for (const Bound& bound : bound_) sum += bound.placement.upload + bound.placement.readback;
  return sum;
}

void Slot::trim() {
  forget();
  steps_.clear();
  lent_.clear();
  bound_.clear();
  upload_pieces_.clear();
  readback_pieces_.clear();
  for (Arena& each : arenas_) each.clear();
}

}  // namespace kem::vulkan
