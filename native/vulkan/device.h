// The opened device: the Device interface over the executor's parts.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "vulkan/context.h"
#include "vulkan/copy_queues.h"
#include "vulkan/device_choice.h"
#include "vulkan/imports.h"
#include "vulkan/instance.h"
#include "vulkan/lanes.h"
#include "vulkan/loop_probe.h"
#include "vulkan/near_probe.h"
#include "vulkan/pipeline_store.h"
#include "vulkan/slot_pool.h"
#include "vulkan/vulkan.h"

namespace kem::vulkan {

// Changes what is known of the device right after it was opened: how tests make a driver fail, or a device stage.
using AdjustContext = void (*)(Context& context);

class DeviceImpl final : public Device {
 public:
  // The first of those that the options name.
  static Result<std::unique_ptr<DeviceImpl>> open(const DeviceOptions& options, AdjustContext adjust = nullptr);
  // A candidate of the instance.
  static Result<std::unique_ptr<DeviceImpl>> open(std::unique_ptr<Instance> instance, const Candidate& candidate,
                                                  const DeviceOptions& options, AdjustContext adjust = nullptr);
  ~DeviceImpl() override;

  const DeviceInfo& info() const override { return core_->context.info; }
  const DeviceLimits& limits() const override { return core_->context.limits; }
  // Before the device is shared.
  void set_loop_behavior(const LoopBehavior& loops) {
    core_->context.limits.max_loop_iterations = loops.limit;
    core_->context.limits.misreads_loop_exits = loops.misreads_exits;
  }
  Result<std::unique_ptr<Pipeline>> make_pipeline(const PipelineDescription& description) override;
  using Device::start;
  Result<bool> start(std::span<const Step> steps, const Terms& terms, Completion& completion) override;
  Result<std::unique_ptr<Buffer>> make_buffer(uint64_t size) override;
  uint64_t buffer_alignment() const override { return core_->context.buffer_alignment; }
  Status read(const Buffer& buffer, uint64_t offset, std::span<uint8_t> to) override;
  Status write(Buffer& buffer, uint64_t offset, std::span<const uint8_t> from) override;
  std::chrono::nanoseconds cost(const Pipeline& pipeline) const override;
  MemoryUsage memory() const override;
  Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) override;
  bool validating() const override { return core_->instance->validating(); }
  uint64_t validation_messages() const override { return core_->instance->log()->count(); }
  std::vector<std::string> validation_log() const override { return core_->instance->log()->texts(); }

  // Outlives the device, whose destruction may add to it.
  std::shared_ptr<const ValidationLog> shared_validation_log() const { return core_->instance->log(); }
  std::chrono::nanoseconds polling() const { return core_->context.spin; }
  const NearLimits& near_limits() const { return core_->context.near; }
  Result<NearCosts> measure_near();
  bool delivers() const { return core_->imports != nullptr; }  // large results into the caller's pages
  uint64_t imported_bytes() const { return core_->imports == nullptr ? 0 : core_->imports->bytes(); }
  size_t abandoned_jobs() const { return core_->lanes->abandoned(); }

 private:
  // Owns the VkDevice. In one piece, so that it can be left alone if the device never ends its work.
  struct Core {
    Recycler memory;  // of flights
    std::unique_ptr<Instance> instance;
    Context context;
    Copier copier{Copier::usual_helpers()};
    std::unique_ptr<Imports> imports;  // null: results are staged, or nothing is
    std::unique_ptr<SlotPool> slots;
    std::unique_ptr<PipelineStore> pipelines;
    std::unique_ptr<CopyQueues> copies;  // null: the lanes copy too
    std::optional<Lanes> lanes;
    ~Core();
  };

  explicit DeviceImpl(std::unique_ptr<Core> core) : core_(std::move(core)) {}
  static Status set_up(Core& core, const DeviceOptions& options);
  Status check_alive() const;
  template <class T>
  Result<T> noting_loss(Result<T> result);
  const std::shared_ptr<PipelineState>* own(const Pipeline* pipeline) const;  // null: not of this device
  Status check(const Step& step, PlannedStep& planned) const;
  Result<PlannedSteps> plan(std::span<const Step> steps) const;
  bool deliver(PlannedSteps& steps, bool at_once);
  Result<SlotLease> prepared_slot(const PlannedSteps& steps);
  Status upload(Lane& lane, Flight& flight);
  Result<bool> start_uploaded(Lane& lane, Status uploaded, std::unique_ptr<Flight> flight);
  Status submit_and_wait(Lane& lane, VkCommandBuffer commands, const Fence& fence);
  void probe_near();
  // device_buffers.cc
  Status transfer(Slot& slot, uint64_t bytes);
  Status copy(Slot& slot, VkBuffer from, VkBuffer to, const VkBufferCopy& range, CopyQueue* apart);
  Result<const BufferState*> checked(const Buffer& buffer, uint64_t offset, uint64_t size) const;

  std::unique_ptr<Core> core_;
  std::atomic<bool> lost_{false};
  std::atomic<uint64_t> next_pipeline_{1};
  std::atomic<uint64_t> next_buffer_{1};
};

template <class T>
Result<T> DeviceImpl::noting_loss(Result<T> result) {
  if (!result && result.error().error_class == ErrorClass::DeviceLost) lost_.store(true, std::memory_order_relaxed);
  return result;
}

// The device as callers have it: with what was found out by trying and, on lavapipe, its twin.
Result<std::unique_ptr<Device>> complete(std::unique_ptr<DeviceImpl> device, const DeviceOptions& options);

}  // namespace kem::vulkan
