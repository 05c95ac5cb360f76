// Queues that stand for the one that a driver has: what is submitted to any of them goes there. For tests of which
// queue is used for what, and of devices with several.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "double_words.spv.h"
#include "vulkan/context.h"
#include "vulkan/device.h"
#include "vulkan/device_testing.h"

namespace kem::vulkan {

class QueueStandIns {
 public:
  // In an AdjustContext: the device gets so many queues that compute and so many that copy, numbered as it asks for
  // them: first those that copy.
  static void install(Context& context, uint32_t queues, uint32_t copy_queues) {
    QueueStandIns& all = self();
    context.queues = queues;
    context.copy_family = context.queue_family;
    context.copy_queues = copy_queues;
    const std::lock_guard lock(all.mutex_);
    all.opened_ = 0;
    all.used_.clear();
    all.get_ = std::exchange(context.vk.vkGetDeviceQueue, get);
    all.submit_ = std::exchange(context.vk.vkQueueSubmit, submit);
    all.wait_idle_ = std::exchange(context.vk.vkQueueWaitIdle, wait_idle);
  }

  // The numbers of those that were submitted to since the last call.
  static std::set<uint32_t> used() {
    const std::lock_guard lock(self().mutex_);
    return std::exchange(self().used_, {});
  }

 private:
  struct StandIn {
    VkQueue real;
    uint32_t number;
  };

  static QueueStandIns& self() {
    static QueueStandIns all;
    return all;
  }
  static const StandIn& of(VkQueue queue) { return *reinterpret_cast<const StandIn*>(queue); }

  static VKAPI_ATTR void VKAPI_CALL get(VkDevice device, uint32_t family, uint32_t, VkQueue* queue) {
    QueueStandIns& all = self();
    const std::lock_guard lock(all.mutex_);
    all.get_(device, family, 0, queue);
    *queue = reinterpret_cast<VkQueue>(&all.queues_.emplace_back(StandIn{*queue, all.opened_++}));
  }
  static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos,
                                               VkFence fence) {
    QueueStandIns& all = self();
    const std::lock_guard lock(all.mutex_);
    all.used_.insert(of(queue).number);
    return all.submit_(of(queue).real, count, infos, fence);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkQueue queue) {
    QueueStandIns& all = self();
    const std::lock_guard lock(all.mutex_);
    return all.wait_idle_(of(queue).real);
  }

  std::mutex mutex_;  // it is one queue
  std::deque<StandIn> queues_;
  std::set<uint32_t> used_;
  uint32_t opened_ = 0;  // of the device that is being opened
  PFN_vkGetDeviceQueue get_ = nullptr;
  PFN_vkQueueSubmit submit_ = nullptr;
  PFN_vkQueueWaitIdle wait_idle_ = nullptr;
};

// A device of such queues, with a pipeline that doubles words.
class QueuesTest : public testing::Test {
 protected:
  void open(AdjustContext adjust) {
    DeviceOptions options;
    options.validation = true;
    auto device = DeviceImpl::open(options, adjust);
    ASSERT_TRUE(device) << device.error().message;
    device_ = std::move(*device);
    log_ = device_->shared_validation_log();
    double_ = make_pipeline(*device_, double_words_spv, {{0, 0, kIn}, {0, 1, kOut}});
  }
  void TearDown() override {
    double_.reset();
    device_.reset();
    expect_empty(*log_);
  }

  std::unique_ptr<DeviceImpl> device_;
  std::shared_ptr<const ValidationLog> log_;
  std::unique_ptr<Pipeline> double_;
};

}  // namespace kem::vulkan
