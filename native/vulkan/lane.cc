#include "vulkan/lane.h"

#include <algorithm>
#include <iterator>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

// Submissions in flight before further calls wait for the next batch: one that runs and one that the driver has
// ready for it.
constexpr size_t kDeepest = 2;
constexpr size_t kLargestBatch = 64;
// How often a blocked wait looks for cancellations and deadlines.
constexpr std::chrono::milliseconds kInterval{5};
// How long the lane waits for submissions that are still to come, and at most how late it looks at the first of them.
constexpr std::chrono::seconds kAttentive{1};
constexpr std::chrono::milliseconds kAhead{20};

}  // namespace

Lane::Lane(VkQueue queue, Tickets tickets, Copier& copier)
    : queue_(queue), tickets_(std::move(tickets)), copier_(copier), last_end_(Clock::now()), thread_([this] {
        watch();
      }) {}

bool Lane::stop(std::chrono::nanoseconds patience) {
  {
    Lock lock(mutex_);
    stopping_ = true;
    if (batches_.empty()) tickets_.skip();
    wake_.notify_one();
    given_up_ = !emptied_.wait_for(lock, patience, [this] { return batches_.empty() && waiting_.empty(); });
  }
  if (thread_.joinable()) thread_.join();
  return batches_.empty() && waiting_.empty();
}

size_t Lane::abandoned() const {
  const Lock lock(mutex_);
  return abandoned_;
}

Status Lane::start(std::unique_ptr<Flight> flight) {
  flight->started = Clock::now();
  const Lock lock(mutex_);
  if (lost_) return fail(ErrorClass::DeviceLost, "the device was lost");
  if (abandoned_ >= kMostAbandoned)
    return fail(ErrorClass::Busy, "the device is still running " + std::to_string(abandoned_) + " abandoned jobs");
  Flights flights;
  flights.push_back(std::move(flight));
  if (batches_.size() >= kDeepest) {
    waiting_.push_back(std::move(flights.front()));
    return {};
  }
  KEM_CHECK(submit_batch(flights));
  if (asleep_) wake_.notify_one();
  return {};
}

Status Lane::submit(const Context& context, VkCommandBuffer commands, VkFence fence) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const Lock lock(mutex_);
  KEM_VK("vkQueueSubmit", context.vk.vkQueueSubmit(queue_, 1, &info, fence));
  return {};
}

Status Lane::submit_batch(Flights& flights) {
  std::array<VkCommandBuffer, kLargestBatch> commands{};
  std::transform(flights.begin(), flights.end(), commands.begin(), [](const auto& f) { return f->slot->commands(); });
  const Clock::time_point now = Clock::now();
  const VkResult result = tickets_.submit(queue_, std::span(commands).first(flights.size()));
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  KEM_VK("vkQueueSubmit", result);
  batches_.push_back({tickets_.last(), std::move(flights), now});
  submitted_.store(tickets_.last(), std::memory_order_release);
  return {};
}

void Lane::submit_waiting(std::vector<Ending>& failed) {
  while (!waiting_.empty() && batches_.size() < kDeepest) {
    const auto end = waiting_.begin() + static_cast<ptrdiff_t>(std::min(waiting_.size(), kLargestBatch));
    Flights flights(std::move_iterator(waiting_.begin()), std::move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    if (Status status = submit_batch(flights); !status)
      for (const auto& flight : flights) failed.push_back({flight->completion, status.error()});
  }
}

void Lane::tell(std::vector<Ending>& endings) {
  for (Ending& ending : endings) ending.completion->ended(fail(std::move(ending.error)));
  endings.clear();
}

// What the lane's thread does: waits for the oldest batch, keeps the queue filled, hands out the results.
void Lane::watch() {
  std::vector<Ending> endings;
  Lock lock(mutex_);
  while (true) {
    submit_waiting(endings);
    if (batches_.empty() && endings.empty()) {
      emptied_.notify_all();
      if (stopping_) return;
      idle(lock);
      continue;
    }
    if (!endings.empty()) {
      lock.unlock();
      tell(endings);
      lock.lock();
      continue;
    }
    const uint64_t ticket = batches_.front().ticket;
    lock.unlock();
    const VkResult result = tickets_.wait(ticket, kInterval);
    lock.lock();
    if (result == VK_TIMEOUT) {
      if (given_up_) return;
      take_overdue(endings);
    } else if (result != VK_SUCCESS) {
      take_all(result, endings);
    } else {
      Batch batch = std::move(batches_.front());
      batches_.pop_front();
      submit_waiting(endings);
      lock.unlock();
      land(std::move(batch));
      lock.lock();
    }
  }
}

// Waking the thread for a submission would cost as much as a small kernel, so as long as calls keep coming it does
// not sleep: where waits poll, it looks out for the next submission without touching the driver, whose locks the
// submitter needs; elsewhere it waits for the end of a submission that is still to come.
void Lane::idle(Lock& lock) {
  const uint64_t next = tickets_.last() + 1;
  if (const auto polling = tickets_.polling_time(); polling.count() != 0) {
    lock.unlock();
    const Clock::time_point end = Clock::now() + polling;
    while (submitted_.load(std::memory_order_acquire) < next && Clock::now() < end) {
    }
    lock.lock();
  } else if (tickets_.can_wait_ahead() && Clock::now() - last_end_ < kAttentive) {
    lock.unlock();
    const VkResult result = tickets_.wait(next, kAhead);
    lock.lock();
    if (result == VK_SUCCESS || result == VK_TIMEOUT) return;
  }
  asleep_ = true;
  wake_.wait(lock, [this] { return stopping_ || !batches_.empty(); });
  asleep_ = false;
}

// Jobs that have not been submitted are gone; the others stay with their batch.
void Lane::take_overdue(std::vector<Ending>& over) {
  for (Batch& batch : batches_) {
    for (const auto& flight : batch.flights) {
      if (flight->completion == nullptr) continue;
      Status status = check_time(flight->dispatch);
      if (status) continue;
      over.push_back({std::exchange(flight->completion, nullptr), std::move(status).error()});
      ++abandoned_;
    }
  }
  std::erase_if(waiting_, [&](const auto& flight) {
    Status status = check_time(flight->dispatch);
    if (!status) over.push_back({flight->completion, std::move(status).error()});
    return !status;
  });
}

// After an error nothing runs any more.
void Lane::take_all(VkResult result, std::vector<Ending>& endings) {
  lost_ = lost_ || result == VK_ERROR_DEVICE_LOST;
  const Error error = failure("vkWaitForFences", result).value();
  const auto take = [&](const Flights& flights) {
    for (const auto& flight : flights)
      if (flight->completion != nullptr) endings.push_back({flight->completion, error});
  };
  for (const Batch& batch : batches_) take(batch.flights);
  take(waiting_);
  batches_.clear();
  waiting_.clear();
  abandoned_ = 0;
}

void Lane::land(Batch batch) {
  // The queue runs one batch after the other.
  const Clock::time_point begin = std::max(batch.submitted, last_end_);
  last_end_ = Clock::now();
  if (batch.flights.size() == 1) {
    const Flight& flight = *batch.flights.front();
    flight.pipeline->pace.set_latest(flight.slice, last_end_ - begin);
  }
  for (auto& flight : batch.flights) {
    if (flight->completion == nullptr) {
      flight.reset();  // before the count says that it is over
      const Lock lock(mutex_);
      --abandoned_;
    } else {
      land(std::move(flight), last_end_ - begin);
    }
  }
}

// `time`: the device's, for the whole batch.
void Lane::land(std::unique_ptr<Flight> flight, std::chrono::nanoseconds time) {
  flight->budget = flight->pipeline->pace.next_slice(flight->slice, time);
  if (!flight->cursor.done()) return go_on(std::move(flight));
  flight->times.execute = last_end_ - flight->started;
  flight->slot->readback(flight->arguments, copier_);
  flight->times.readback = Clock::now() - last_end_;
  Completion& completion = *flight->completion;
  const RunTimes times = flight->times;
  flight.reset();  // the next call finds the slot free
  completion.ended(times);
}

// The next slice waits behind the calls that have come meanwhile.
void Lane::go_on(std::unique_ptr<Flight> flight) {
  Status status = check_time(flight->dispatch);
  if (status) status = flight->record();
  if (!status) return flight->end(fail(std::move(status).error()));
  const Lock lock(mutex_);
  waiting_.push_back(std::move(flight));
}

}  // namespace kem::vulkan
