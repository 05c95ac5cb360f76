// Everything that one call needs of the device: command buffer, descriptor sets, memory. Kept between calls,
// so that a call like the one before allocates and records nothing.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vulkan/arguments.h"
#include "vulkan/copier.h"
#include "vulkan/memory.h"
#include "vulkan/pipeline.h"
#include "vulkan/steps.h"

namespace kem::vulkan {

// One thread at a time. Not to be changed, let alone destroyed, while the device runs its commands.
class Slot {
 public:
  static Result<std::unique_ptr<Slot>> make(const Context& context);

  // Whether it is prepared for anything.
  bool prepared() const { return prepared_; }
  // Whether everything is in place that prepare() would make, or is after redirect().
  bool prepared_for(std::span<const PlannedStep> steps) const;
  // Gives every argument memory and descriptors.
  Status prepare(std::span<const PlannedStep> steps);
  // Copies what is delivered to these steps' imports, not to those that it was prepared with.
  Status redirect(std::span<const PlannedStep> steps);

  // Initial bytes and zeros into the memory that the host sees. The steps here and below: those last prepared. Large
  // ones piece by piece, each submitted as soon as it is there, before what record() records.
  using Submit = std::function<Status(VkCommandBuffer)>;
  Status upload(std::span<const PlannedStep> steps, Copier& copier, const Submit& submit);
  // Whether upload() submits anything.
  bool uploads_in_pieces() const { return !upload_pieces_.empty(); }

  // Part of a staged argument.
  struct Piece {
    size_t step;
    size_t bound;
    uint64_t offset;  // in the argument
    uint64_t size;
    VkCommandBuffer commands;  // that copy it
  };
  // Large results: to be submitted in order behind the last slice, to the copy queue if there is one.
  std::span<const Piece> readback_pieces() const { return readback_pieces_; }
  // Whether there are any that the host copies on; what is delivered is where it should be.
  bool reads_pieces() const;
  // Result bytes out of the memory that the host sees, when the device has ended: of a piece, and all that is in none.
  void readback(std::span<const PlannedStep> steps, const Piece& piece, Copier& copier) const;
  void readback(std::span<const PlannedStep> steps, Copier& copier) const;

  // Records a slice from the cursor on, with the copies that the first and last slice of a job need. Of one step alone
  // at most `budget` workgroups; of several as many as fit into a slice by what their pipelines have cost so far.
  // Returns how many.
  Result<uint64_t> record(std::span<const PlannedStep> steps, StepCursor& cursor, uint64_t budget);
  // Whether the job can be recorded together with others (BatchCommands): it was recorded as a whole, and is one kernel
  // that nothing is copied or filled for. Then its kernel, and the copies of what it wrote, if copies_out():
  bool joins_batches() const;
  void record_kernel(VkCommandBuffer commands, const PlannedStep& step) const;
  bool copies_out() const;
  void record_copies(VkCommandBuffer commands) const;
  // Whether the command buffer holds the whole job, as recorded for an earlier call.
  bool has_recorded(std::span<const PlannedStep> steps) const;
  Status record_nothing();

  // For copies outside of a call; what was prepared is forgotten. Memory for `size` bytes, valid until the next
  // of these for the same use.
  Result<Place> stage(MemoryUse use, uint64_t size);
  // Behind everything that was submitted before, and seen by everything after; or for a copy queue, behind what has
  // ended.
  Status record_copy(VkBuffer from, VkBuffer to, const VkBufferCopy& range);
  Status record_copy_apart(VkBuffer from, VkBuffer to, const VkBufferCopy& range);
  Status record_fill(VkBuffer buffer, uint64_t size);

  VkCommandBuffer commands() const { return commands_; }
  VkCommandBuffer copy_commands() const { return copy_commands_; }  // for a copy queue; null: there is none

  // Lets go of the memory that was lent for the steps that are prepared, if any was: then it is prepared for nothing.
  void return_lent();

  uint64_t bytes() const;
  // That the device copies before and behind the kernels.
  uint64_t copied_bytes() const;
  // Frees the memory and forgets what was prepared.
  void trim();

 private:
  struct Bound {
    uint32_t group = 0;
    uint32_t binding = 0;
    Placement wanted;     // by the argument
    Placement placement;  // that it has got
    uint64_t import = 0;  // id of the one that it is delivered to
    Place home;
    Place upload;
    Place readback;
  };
  // A pipeline's descriptor sets, for every step that binds the same buffers to it.
  struct Sets {
    size_t step;   // the first of them
    size_t first;  // of handles_
  };
  struct Prepared {
    uint64_t pipeline = 0;  // its id
    size_t first = 0;       // of bound_
    size_t sets = 0;        // of sets_
  };
  // What was recorded of a step.
  struct Recorded {
    std::array<uint32_t, 3> grid{};
    bool independent = false;
    std::vector<uint8_t> immediates;
  };

  explicit Slot(const Context& context);
  Arena& arena(MemoryUse use) { return arenas_[static_cast<size_t>(use)]; }
  std::span<const Bound> bound_of(size_t step) const;
  const Bound& bound_to(size_t step, size_t nth, const Argument& argument) const;
  const Bound& find(size_t step, const Argument& argument) const;
  void forget();
  Status place_all(std::span<const PlannedStep> steps);
  Status place_bound(const PlannedStep& step, size_t nth, Bound& bound);
  Status place_home(const PlannedStep& step, size_t nth, Bound& bound);
  Result<bool> place_near(Bound& bound);
  static void deliver(const Import& import, Bound& bound);
  Result<Place> place_lent(const Placement& placement);
  void share_sets(std::span<const PlannedStep> steps);
  Status allocate_sets(std::span<const PlannedStep> steps);
  Status grow_descriptor_pool(uint32_t sets, uint32_t storage, uint32_t uniform);
  void write_sets(std::span<const PlannedStep> steps);
  bool has_copy_queues() const { return context_->copy_queues != 0; }
  bool in_pieces(uint64_t staged) const {
    return staged >= (has_copy_queues() ? context_->least_apart : 2 * context_->piece_bytes);
  }
  // What is delivered needs no host, so it is a piece only where others copy.
  bool reads_in_pieces(const Placement& placement) const {
    return in_pieces(placement.readback) && (!placement.delivered || has_copy_queues());
  }
  Status make_pieces();
  Status cut(size_t step, size_t bound, uint64_t staged, uint64_t size, std::vector<Piece>& pieces);
  Result<VkCommandBuffer> piece_commands();
  Status record_piece(const Piece& piece, bool upload);
  const Argument& argument_of(std::span<const PlannedStep> steps, const Piece& piece) const;
  void order_after_others(VkCommandBuffer commands) const;
  void record_uploads() const;
  void record_readbacks() const;
  void bind(VkCommandBuffer commands, const PlannedStep& step, size_t index, const PlannedStep* before) const;
  uint64_t record_dispatches(VkCommandBuffer commands, const PlannedStep& step, WorkgroupCursor& groups,
                             uint64_t budget) const;
  uint64_t record_steps(std::span<const PlannedStep> steps, StepCursor& cursor, uint64_t budget) const;
  void note_recorded(std::span<const PlannedStep> steps);
  template <class Command>
  Status record_transfer(VkCommandBuffer commands, Command command);
  Status begin(VkCommandBuffer commands) const;

  const Context* context_;
  CommandPool command_pool_;
  CommandPool copy_pool_;                           // for the copy queues, if there are any
  VkCommandBuffer commands_ = VK_NULL_HANDLE;       // of the pool
  VkCommandBuffer copy_commands_ = VK_NULL_HANDLE;  // of the copy pool
  std::vector<VkCommandBuffer> piece_commands_;     // of the pool, for pieces; kept for the next ones
  DescriptorPool descriptor_pool_;
  uint32_t pool_sets_ = 0;
  uint32_t pool_storage_ = 0;
  uint32_t pool_uniform_ = 0;
  std::array<Arena, kMemoryUses> arenas_;
  bool near_is_full_ = false;  // while memory is given out

  std::vector<Prepared> steps_;
  std::vector<Block> lent_;   // memory of the caller's
  std::vector<Bound> bound_;  // of every step, one after the other
  std::vector<Sets> sets_;
  std::vector<Piece> upload_pieces_;
  std::vector<Piece> readback_pieces_;
  bool prepared_ = false;          // all of these and the sets' contents belong together
  std::vector<uint64_t> sets_of_;  // ids of the pipelines that handles_ belong to, in order
  std::vector<VkDescriptorSet> handles_;
  std::vector<Recorded> recorded_;  // of the whole job in the command buffer; empty: there is none

  std::vector<VkDescriptorBufferInfo> buffer_infos_;  // scratch of write_sets
  std::vector<VkWriteDescriptorSet> writes_;
};

}  // namespace kem::vulkan
