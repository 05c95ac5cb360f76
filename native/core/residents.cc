// The engine's resident buffers: making them, copying to and from them, and the lines of the tasks that use them.
#include <algorithm>
#include <utility>

#include "core/engine.h"
#include "core/guard.h"
#include "core/plan.h"
#include "core/stopwatch.h"

namespace kem::core {
namespace {

constexpr uint64_t kWordBytes = 4;

Status check_range(const Resident& buffer, uint64_t offset, uint64_t bytes) {
  if (offset <= buffer.size() && bytes <= buffer.size() - offset) return {};
  return fail(ErrorClass::InvalidArgument, std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                                               " are not within the buffer's " + std::to_string(buffer.size()));
}

}  // namespace

Result<BufferReference> EngineImpl::make_buffer(uint64_t bytes, std::optional<size_t> device) {
  if (bytes == 0) return fail(ErrorClass::InvalidArgument, "a buffer has at least one byte");
  residents_->free_dropped();
  KEM_CHECK(residents_->reserve(bytes));
  auto made = run_guarded([&]() -> Result<BufferReference> {
    KEM_TRY(const auto devices, devices_for_buffer(device));
    Result<BufferReference> buffer = make_buffer_on(devices.front(), bytes);
    for (size_t i = 1; i < devices.size() && !buffer && buffer.error().error_class == ErrorClass::OutOfMemory; ++i) {
      buffer = make_buffer_on(devices[i], bytes);
    }
    return buffer;
  });
  if (!made) residents_->unreserve(bytes);
  return made;
}

// That with the least resident bytes comes first.
Result<std::vector<Devices::Reference>> EngineImpl::devices_for_buffer(std::optional<size_t> device) {
  std::vector<std::pair<uint64_t, Devices::Reference>> devices;
  KEM_TRY(auto first, device ? devices_.wait(*device) : devices_.wait());
  for (size_t i = 0; !device && devices_.several() && i < devices_.count(); ++i) {
    if (auto other = devices_.current(i)) devices.emplace_back(other->resident_bytes, std::move(other));
  }
  if (devices.empty()) return std::vector{std::move(first)};
  std::stable_sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Devices::Reference> sorted;
  sorted.reserve(devices.size());
  for (auto& [resident, other] : devices) sorted.push_back(std::move(other));
  return sorted;
}

Result<BufferReference> EngineImpl::make_buffer_on(const Devices::Reference& device, uint64_t bytes) {
  device->resident_bytes += bytes;
  auto memory = device->device->make_buffer((bytes + kWordBytes - 1) / kWordBytes * kWordBytes);
  if (!memory) {
    device->resident_bytes -= bytes;
    note_loss(*device, memory.error());
    return fail(std::move(memory).error());
  }
  return residents_->adopt(std::make_unique<Resident>(device, std::move(*memory), bytes));
}

Result<JobId> EngineImpl::read(BufferReference buffer, uint64_t offset, uint64_t bytes,
                               std::unique_ptr<Client> client) {
  KEM_TRY(auto resident, residents_->own(buffer));
  KEM_CHECK(check_range(*resident, offset, bytes));
  if (bytes > config_.limits.output_bytes) {
    return fail(ErrorClass::OutputTooLarge, std::to_string(bytes) + " bytes are to be read, more than the limit of " +
                                                std::to_string(config_.limits.output_bytes));
  }
  return enqueue_access({std::move(resident), false, offset, bytes, {}}, {0, bytes}, std::move(client));
}

Result<JobId> EngineImpl::write(BufferReference buffer, uint64_t offset, std::span<const uint8_t> bytes,
                                std::unique_ptr<Client> client) {
  KEM_TRY(auto resident, residents_->own(buffer));
  KEM_CHECK(check_range(*resident, offset, bytes.size()));
  if (bytes.size() > config_.limits.input_bytes) {
    return fail(ErrorClass::InputTooLarge, std::to_string(bytes.size()) +
                                               " bytes are to be written, more than the limit of " +
                                               std::to_string(config_.limits.input_bytes));
  }
  return enqueue_access({std::move(resident), true, offset, 0, bytes}, {bytes.size(), 0}, std::move(client));
}

Result<JobId> EngineImpl::enqueue_access(Access access, Traffic traffic, std::unique_ptr<Client> client) {
  return run_guarded([&]() -> Result<JobId> {
    auto task = make_task();
    task->client = std::move(client);
    task->traffic = traffic;
    task->held.push_back({access.buffer, access.writes});
    task->work = std::move(access);
    return enqueue(std::move(task), {}, {});
  });
}

void EngineImpl::join_lines(Task& task) {
  for (const Held& held : task.held) held.buffer->users.push_back({task.id, held.writes});
  if (const auto* const access = std::get_if<Access>(&task.work)) {
    kernels_.enter(task.spot, *access->buffer->device, task.traffic.sum());
  }
}

// It is a task's turn at a buffer when only those are before it that read the buffer, as it does itself.
bool EngineImpl::has_turn(const Task& task) const {
  return std::all_of(task.held.begin(), task.held.end(), [&](const Held& held) {
    for (const Use& use : held.buffer->users) {
      if (use.job == task.id) return true;
      if (use.writes || held.writes) return false;
    }
    return true;
  });
}

// False if others are before it: the last of them to leave puts the task back into the queue. The task may be gone
// then.
bool EngineImpl::wait_for_turn(Task& task) {
  if (task.held.empty()) return true;
  const Lock lock(mutex_);
  if (has_turn(task)) return true;
  task.state = Task::State::Waiting;
  task.in_line = true;
  watch(task.deadline);
  if (stopping_ || task.cancelled) end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
  return false;
}

// The task is no longer among the engine's. What the device still does for it is the turn's affair.
void EngineImpl::leave_lines(Task& task) {
  if (task.turn && task.turn.use_count() > 1) return;
  if (task.turn) task.turn->over = true;
  leave_lines(task.id, task.held);
}

void EngineImpl::leave_lines(JobId job, std::span<const Held> all) {
  for (const Held& held : all) {
    std::erase_if(held.buffer->users, [&](const Use& use) { return use.job == job; });
  }
  for (const Held& held : all) {
    for (const Use& use : held.buffer->users) {
      const auto next = tasks_.find(use.job);  // or what the device still runs
      if (next != tasks_.end() && next->second->in_line && has_turn(*next->second)) {
        next->second->in_line = false;
        queue_.push_back(use.job);
        executor_wake_.notify_one();
      }
      if (use.writes) break;
    }
  }
}

// What the device holds as long as it is at work on the task.
std::shared_ptr<const void> EngineImpl::lender_of(Task& task) {
  if (task.held.empty()) return task.lender;
  if (!task.turn) {
    task.turn = std::make_shared<Turn>(link_);
    task.turn->job = task.id;
    task.turn->held = task.held;
    task.turn->lender = task.lender;
  }
  return task.turn;
}

void EngineImpl::end_turn(Turn& turn) {
  const Lock lock(mutex_);
  if (!turn.over) leave_lines(turn.job, turn.held);
}

// Without memory to tell it with, the next in line waits until its deadline.
void EngineLink::end(Turn& turn) noexcept {
  const std::lock_guard lock(mutex_);
  if (engine_ == nullptr) return;
  static_cast<void>(run_guarded([&]() -> Status {
    engine_->end_turn(turn);
    return {};
  }));
}

void EngineLink::cut() {
  const std::lock_guard lock(mutex_);
  engine_ = nullptr;
}

// On an executor, which waits while the device copies. The task is gone when this returns.
void EngineImpl::perform(Task& task, const Access& access) {
  task.times.queue = Clock::now() - task.submitted;
  Stopwatch watch;
  if (Status copied = copy(task, access); !copied) return finish(task, fail(std::move(copied).error()));
  (access.writes ? task.times.upload : task.times.readback) = watch.lap();
  finish(task, Report{task.times, {}, {}});
}

Status EngineImpl::copy(Task& task, const Access& access) {
  Resident& buffer = *access.buffer;
  KEM_CHECK(residents_->own(access.buffer));  // the device may have been lost since
  std::span<uint8_t> to;
  if (!access.writes) {
    KEM_TRY(to, Lending(*task.client, buffer.device->device->limits()).allocate_copy(access.read));
  }
  if (access.read == 0 && access.written.empty()) return {};
  vulkan::Device& device = *buffer.device->device;
  Status copied = access.writes ? device.write(*buffer.memory, access.offset, access.written)
                                : device.read(*buffer.memory, access.offset, to);
  if (!copied) note_loss(*buffer.device, copied.error());
  return copied;
}

}  // namespace kem::core
