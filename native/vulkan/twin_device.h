// lavapipe, opened twice: with its worker threads, and without any.
//
// lavapipe hands every dispatch to its workers and waits for them, which costs a small kernel more than the kernel
// itself: 25 us instead of 15 us for 16 bytes on two cores. How many workers there are is decided when the driver
// makes its screen, by the environment variable LP_NUM_THREADS; with 0 a dispatch runs on the queue's own thread.
#pragma once

#include <memory>

#include "vulkan/vulkan.h"

namespace kem::vulkan {

// A second device like `device`, whose dispatches run on one thread; null where the driver does not offer that or the
// operator has chosen the number of threads.
std::unique_ptr<Device> open_without_workers(const Device& device, DeviceOptions options);

// Runs what is small on one device and what is large on the other. Both are the same hardware: pipelines are made on
// both, and memory belongs to a call anyway.
class TwinDevice final : public Device {
 public:
  TwinDevice(std::unique_ptr<Device> with_workers, std::unique_ptr<Device> alone)
      : with_workers_(std::move(with_workers)), alone_(std::move(alone)) {}

  const DeviceInfo& info() const override { return with_workers_->info(); }
  const DeviceLimits& limits() const override { return with_workers_->limits(); }
  Result<std::unique_ptr<Pipeline>> make_pipeline(const PipelineDescription& description) override;
  using Device::start;
  Result<bool> start(std::span<const Step> steps, const Terms& terms, Completion& completion) override;
  Result<std::unique_ptr<Buffer>> make_buffer(uint64_t size) override { return with_workers_->make_buffer(size); }
  uint64_t buffer_alignment() const override { return with_workers_->buffer_alignment(); }
  Status read(const Buffer& buffer, uint64_t offset, std::span<uint8_t> to) override {
    return with_workers_->read(buffer, offset, to);
  }
  Status write(Buffer& buffer, uint64_t offset, std::span<const uint8_t> from) override {
    return with_workers_->write(buffer, offset, from);
  }
  std::chrono::nanoseconds cost(const Pipeline& pipeline) const override;
  MemoryUsage memory() const override;
  Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) override {
    return alone_->measure_empty_submit(rounds);
  }
  bool validating() const override { return with_workers_->validating(); }
  uint64_t validation_messages() const override {
    return with_workers_->validation_messages() + alone_->validation_messages();
  }
  std::vector<std::string> validation_log() const override;

 private:
  struct Twin;
  // Which of the two runs the steps.
  Device& choose(std::span<const Step> steps) const;
  Step on(const Device& device, Step step) const;  // the step with that device's pipeline
  template <class Use>
  auto with_chosen(std::span<const Step> steps, Use use) const;
  std::chrono::nanoseconds cost_of(const Twin& twin) const;
  bool is_small(const Twin& twin, const Step& step) const;

  std::unique_ptr<Device> with_workers_;
  std::unique_ptr<Device> alone_;
};

}  // namespace kem::vulkan
