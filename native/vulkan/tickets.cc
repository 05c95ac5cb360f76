#include "vulkan/tickets.h"

#include <sched.h>

#include <algorithm>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

Result<Semaphore> make_timeline(const Context& context) {
  VkSemaphoreTypeCreateInfoKHR type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO_KHR;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE_KHR;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  KEM_VK("vkCreateSemaphore", context.vk.vkCreateSemaphore(context.device, &info, nullptr, &semaphore));
  return Semaphore(context, semaphore);
}

}  // namespace

Result<Fence> make_fence(const Context& context) {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  KEM_VK("vkCreateFence", context.vk.vkCreateFence(context.device, &info, nullptr, &fence));
  return Fence(context, fence);
}

Result<Tickets> Tickets::make(const Context& context) {
  Tickets tickets(context);
  if (context.timeline) {
    KEM_TRY(tickets.timeline_, make_timeline(context));
  } else {
    for (Fence& fence : tickets.fences_) {
      KEM_TRY(fence, make_fence(context));
    }
  }
  return tickets;
}

VkResult Tickets::submit(VkQueue queue, std::span<const VkCommandBuffer> commands, const Point& after) {
  const uint64_t number = last_ + 1;
  VkTimelineSemaphoreSubmitInfoKHR values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO_KHR;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &number;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  VkFence done = VK_NULL_HANDLE;
  if (can_wait_ahead()) {
    info.pNext = &values;
    if (after.timeline != VK_NULL_HANDLE) {
      values.waitSemaphoreValueCount = info.waitSemaphoreCount = 1;
      values.pWaitSemaphoreValues = &after.number;
      info.pWaitSemaphores = &after.timeline;
      info.pWaitDstStageMask = &kAll;
    }
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = timeline_.address();
  } else {
    done = fence(number);
  }
  const VkResult result = context_->vk.vkQueueSubmit(queue, 1, &info, done);
  if (result == VK_SUCCESS) last_ = number;
  return result;
}

VkResult Tickets::wait(uint64_t number, std::chrono::nanoseconds time) {
  VkResult result = poll(number, time);
  if (result == VK_NOT_READY) result = block(number, time);
  return noted(number, result);
}

VkResult Tickets::wait_giving_way(uint64_t number, std::chrono::nanoseconds time) {
  const Clock::time_point end = Clock::now() + time;
  VkResult result = VK_NOT_READY;
  do {
    sched_yield();
    result = check(number);
  } while (result == VK_NOT_READY && Clock::now() < end);
  return result == VK_NOT_READY ? VK_TIMEOUT : noted(number, result);
}

// The fence of a submission that has ended is for another one.
VkResult Tickets::noted(uint64_t number, VkResult result) const {
  if (result != VK_SUCCESS || can_wait_ahead()) return result;
  const VkFence done = fence(number);
  return context_->vk.vkResetFences(context_->device, 1, &done);
}

VkResult Tickets::check(uint64_t number) const {
  if (!can_wait_ahead()) return context_->vk.vkGetFenceStatus(context_->device, fence(number));
  uint64_t ended = 0;
  const VkResult result = context_->vk.vkGetSemaphoreCounterValueKHR(context_->device, timeline_.get(), &ended);
  return result == VK_SUCCESS && ended < number ? VK_NOT_READY : result;
}

VkResult Tickets::poll(uint64_t number, std::chrono::nanoseconds time) const {
  if (context_->spin.count() == 0) return VK_NOT_READY;
  const Clock::time_point end = Clock::now() + std::min(context_->spin, time);
  VkResult result = VK_NOT_READY;
  while (result == VK_NOT_READY && Clock::now() < end) result = check(number);
  return result;
}

VkResult Tickets::block(uint64_t number, std::chrono::nanoseconds time) const {
  const auto nanoseconds = static_cast<uint64_t>(time.count());
  if (!can_wait_ahead()) {
    const VkFence done = fence(number);
    return context_->vk.vkWaitForFences(context_->device, 1, &done, VK_TRUE, nanoseconds);
  }
  VkSemaphoreWaitInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO_KHR;
  info.semaphoreCount = 1;
  info.pSemaphores = timeline_.address();
  info.pValues = &number;
  return context_->vk.vkWaitSemaphoresKHR(context_->device, &info, nanoseconds);
}

void Tickets::skip() {
  if (!can_wait_ahead()) return;
  VkSemaphoreSignalInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO_KHR;
  info.semaphore = timeline_.get();
  info.value = last_ + 1;
  if (context_->vk.vkSignalSemaphoreKHR(context_->device, &info) == VK_SUCCESS) ++last_;
}

}  // namespace kem::vulkan
