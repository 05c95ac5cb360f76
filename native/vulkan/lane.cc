#include "vulkan/lane.h"

#include <algorithm>
#include <iterator>

#include "base/lock_soon.h"
#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

constexpr size_t kLargestBatch = 64;
// How often a blocked wait looks for cancellations and deadlines.
constexpr std::chrono::milliseconds kInterval{5};
// How long the lane waits for submissions that are still to come, and at most how late it looks at the first of them.
constexpr std::chrono::seconds kAttentive{1};
constexpr std::chrono::milliseconds kAhead{20};
// A job that took longer when it last ran is not escorted, nor one for longer: its thread has other jobs to start.
constexpr std::chrono::milliseconds kEscort{200};

// Lets go of a lock and, in its place, keeps a flag up.
class Meanwhile {
 public:
  Meanwhile(std::unique_lock<std::mutex>& lock, bool& flag) : lock_(lock), flag_(flag) {
    flag_ = true;
    lock_.unlock();
  }
  ~Meanwhile() {
    lock_ = lock_soon(*lock_.mutex());
    flag_ = false;
  }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  std::unique_lock<std::mutex>& lock_;
  bool& flag_;
};

}  // namespace

Lane::Lane(VkQueue queue, Tickets tickets, BatchCommands together, Copier& copier, CopyQueues* copies,
           std::optional<Shadow> queue_thread)
    : copier_(copier),
      copies_(copies),
      queue_(queue),
      tickets_(std::move(tickets)),
      together_(std::move(together)),
      queue_thread_(queue_thread),
      last_end_(Clock::now()),
      last_watched_(last_end_),
      thread_([this] { watch(); }) {}

bool Lane::stop(std::chrono::nanoseconds patience) {
  bool idle = false;
  {
    const Lock lock(mutex_);
    stopping_ = true;
    idle = batches_.empty() && !submitting_;
    wake_.notify_one();
  }
  if (idle) {
    const Lock queue(queue_mutex_);
    tickets_.skip();
  }
  {
    Lock lock(mutex_);
    given_up_ = !emptied_.wait_for(lock, patience, [this] { return batches_.empty() && waiting_.empty(); });
  }
  if (thread_.joinable()) thread_.join();
  return batches_.empty() && waiting_.empty();
}

size_t Lane::abandoned() const {
  const Lock lock(mutex_);
  return abandoned_;
}

Status Lane::start(std::unique_ptr<Flight>& flight) {
  Lock lock = lock_soon(mutex_);
  if (lost_) return fail(ErrorClass::DeviceLost, "the device was lost");
  if (abandoned_ >= kMostAbandoned)
    return fail(ErrorClass::Busy, "the device is still running " + std::to_string(abandoned_) + " abandoned jobs");
  if (!takes_another() || (!batches_.empty() && batches_.front().briefly_attended())) {
    waiting_.push_back(std::move(flight));
    note_load();
    return {};
  }
  Flight& started = *flight;
  const bool attended = batches_.empty() && waiting_.empty() && worth_attending(started);
  Flights flights;
  flights.push_back(std::move(flight));
  const Result<uint64_t> ticket = submit_batch(lock, flights, attended);
  if (!ticket) flight = std::move(flights.front());
  const bool briefly = ticket && attended && started.slot->readback_pieces().empty();
  std::vector<Ending> endings;
  if (!briefly) submit_waiting(lock, endings);  // what has come meanwhile
  wake();
  lock.unlock();
  tell(endings);
  if (!ticket) return fail(ticket.error());
  if (attended) attend(*ticket, started);
  return {};
}

// If it was over in time when it last ran by itself.
bool Lane::worth_attending(const Flight& flight) {
  const bool escorted = flight.terms.escort && flight.slot->reads_pieces();
  const std::chrono::nanoseconds patience = escorted ? kEscort : flight.terms.patience;
  if (patience.count() == 0 || !flight.cursor.done()) return false;
  const std::chrono::nanoseconds expected = flight.expected();
  return expected.count() != 0 && expected <= patience;
}

// Until the batch is taken from `batches_`, by this thread or after it has given up, the flight stays where it is.
void Lane::attend(uint64_t ticket, Flight& flight) {
  const VkResult result = wait_for(ticket, flight);
  if (result != VK_SUCCESS) return leave(ticket);
  std::vector<Ending> endings;
  Span span;
  Lock lock = lock_soon(mutex_);
  Batch batch = take(ticket, span);
  submit_waiting(lock, endings);
  wake();
  lock.unlock();
  tell(endings);
  land(std::move(batch), span);
}

// To the lane's thread, which sees to whatever keeps it.
void Lane::leave(uint64_t ticket) {
  if (queue_thread_) {
    const Lock queue(queue_mutex_);
    queue_thread_->release();
  }
  const Lock lock = lock_soon(mutex_);
  std::find_if(batches_.begin(), batches_.end(), [&](const Batch& b) { return b.ticket == ticket; })->attended = false;
  wake();
}

VkResult Lane::wait_for(uint64_t ticket, Flight& flight) {
  if (!flight.slot->readback_pieces().empty()) return escort(flight);
  // On the queue thread's own core, sleeping and being woken would only move one of the two to another.
  return queue_thread_ ? tickets_.wait_giving_way(ticket, flight.terms.patience)
                       : tickets_.wait(ticket, flight.terms.patience);
}

VkResult Lane::wait_for_piece(uint64_t ticket, std::chrono::nanoseconds time) {
  return copies_ == nullptr ? tickets_.wait(ticket, time) : copies_->down().wait(ticket, time);
}

// The last piece is the end of the batch.
VkResult Lane::escort(Flight& flight) {
  const auto pieces = flight.slot->readback_pieces();
  const Clock::time_point end = Clock::now() + kEscort;
  while (flight.pieces_read < pieces.size()) {
    const VkResult result = wait_for_piece(flight.first_piece + flight.pieces_read, kInterval);
    if (result == VK_TIMEOUT && Clock::now() < end && check_time(flight.terms)) continue;
    if (result != VK_SUCCESS) return result;
    flight.slot->readback(flight.steps, pieces[flight.pieces_read], copier_);
    ++flight.pieces_read;
  }
  return VK_SUCCESS;
}

void Lane::wake() {
  if (asleep_ && (stopping_ || unattended() != nullptr)) wake_.notify_one();
}

Lane::Batch* Lane::unattended() {
  if (batches_.empty()) return nullptr;
  if (!batches_.front().attended) return &batches_.front();
  const auto found = std::find_if(batches_.begin(), batches_.end(), [](const Batch& batch) { return !batch.attended; });
  return found == batches_.end() ? nullptr : &*found;
}

// A batch that has ended. The queue runs one after the other.
Lane::Batch Lane::take(uint64_t ticket, Span& span) {
  const auto own = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& b) { return b.ticket == ticket; });
  Batch batch = std::move(*own);
  own == batches_.begin() ? batches_.pop_front() : static_cast<void>(batches_.erase(own));
  note_load();
  span.begin = std::max(batch.submitted, last_end_);
  span.end = last_end_ = Clock::now();
  return batch;
}

Status Lane::submit(const Context& context, VkCommandBuffer commands, VkFence fence) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  const Lock queue(queue_mutex_);
  if (queue_thread_) queue_thread_->follow();
  KEM_VK("vkQueueSubmit", context.vk.vkQueueSubmit(queue_, 1, &info, fence));
  return {};
}

void Lane::drain(const Context& context) {
  const Lock queue(queue_mutex_);
  context.vk.vkQueueWaitIdle(queue_);
}

// Of small jobs, where there are several, one; then those of the others.
std::span<const VkCommandBuffer> Lane::commands_of(const Flights& flights) {
  commands_.clear();
  if (flights.size() == 1) {
    commands_.push_back(flights.front()->slot->commands());
    return commands_;
  }
  joining_.clear();
  for (const auto& flight : flights)
    if (flight->slot->joins_batches()) joining_.push_back(flight.get());
  if (joining_.size() > 1)
    if (const auto together = together_.record(joining_)) commands_.push_back(*together);
  const bool joined = !commands_.empty();
  for (const auto& flight : flights)
    if (!joined || !flight->slot->joins_batches()) commands_.push_back(flight->slot->commands());
  return commands_;
}

Result<uint64_t> Lane::submit_batch(Lock& lock, Flights& flights, bool attended) {
  const Clock::time_point now = Clock::now();
  Result<uint64_t> ticket = uint64_t{0};
  uint64_t copied = 0;
  {
    const Meanwhile submitting(lock, submitting_);
    const Lock queue(queue_mutex_);
    ticket = submit_now(flights, attended, copied);
  }
  if (!ticket) return ticket;
  batches_.push_back({*ticket, std::move(flights), now, attended, copied});
  attended_last_ = attended;
  note_load();
  submitted_.store(*ticket, std::memory_order_release);
  return ticket;
}

// What the copy queue brings for any of them; it does one after the other.
Tickets::Point Lane::uploads_of(const Flights& flights) {
  Tickets::Point last;
  for (const auto& flight : flights)
    if (flight->uploaded.number > last.number) last = flight->uploaded;
  return last;
}

Result<uint64_t> Lane::submit_now(const Flights& flights, bool attended, uint64_t& copied) {
  if (queue_thread_) attended ? queue_thread_->follow() : queue_thread_->release();
  const Tickets::Point uploads = copies_ == nullptr ? Tickets::Point() : uploads_of(flights);
  const VkResult result = tickets_.submit(queue_, commands_of(flights), uploads);
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  KEM_VK("vkQueueSubmit", result);
  for (const auto& flight : flights)
    if (flight->cursor.done()) submit_pieces(*flight, copied);
  return tickets_.last();
}

// Each with a ticket of its own, so that it can be waited for.
void Lane::submit_pieces(Flight& flight, uint64_t& copied) {
  const auto pieces = flight.slot->readback_pieces();
  if (pieces.empty()) return;
  pieces_.clear();
  for (const Slot::Piece& piece : pieces) pieces_.push_back(piece.commands);
  VkResult result = VK_SUCCESS;
  if (copies_ != nullptr) {
    const auto submitted = copies_->down().submit(pieces_, tickets_.point(tickets_.last()));
    flight.first_piece = submitted.first;
    if (submitted.count != 0) copied = submitted.first + submitted.count - 1;
    result = submitted.result;
  } else {
    flight.first_piece = tickets_.last() + 1;
    for (size_t i = 0; i < pieces_.size() && result == VK_SUCCESS; ++i)
      result = tickets_.submit(queue_, {&pieces_[i], 1});
  }
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  if (result != VK_SUCCESS) flight.failure = failure("vkQueueSubmit", result).value();
}

void Lane::submit_all_waiting(Lock& lock, std::vector<Ending>& failed) {
  while (!waiting_.empty() && takes_another()) {
    const auto end = waiting_.begin() + static_cast<ptrdiff_t>(std::min(waiting_.size(), kLargestBatch));
    Flights flights(std::move_iterator(waiting_.begin()), std::move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    if (const auto ticket = submit_batch(lock, flights, false); !ticket)
      for (const auto& flight : flights) failed.push_back({flight->completion, ticket.error()});
  }
}

void Lane::tell(std::vector<Ending>& endings) {
  for (Ending& ending : endings) ending.completion->ended(fail(std::move(ending.error)));
  endings.clear();
}

// What the lane's thread does: waits for the oldest batch that nobody attends to, keeps the queue filled, hands out the
// results.
void Lane::watch() {
  std::vector<Ending> endings;
  Lock lock = lock_soon(mutex_);
  while (true) {
    submit_waiting(lock, endings);
    if (!endings.empty()) {
      lock.unlock();
      tell(endings);
      lock.lock();
      continue;
    }
    const Batch* const next = unattended();
    if (next == nullptr) {
      const bool empty = batches_.empty() && !submitting_;
      if (empty) emptied_.notify_all();
      if (empty && stopping_) return;
      idle(lock);
      continue;
    }
    const uint64_t ticket = next->ticket, copied = next->copied;
    lock.unlock();
    const VkResult result = copied == 0 ? tickets_.wait(ticket, kInterval) : wait_for_piece(copied, kInterval);
    lock = lock_soon(mutex_);
    if (result == VK_TIMEOUT) {
      if (given_up_) return;
      take_overdue(endings);
    } else if (result != VK_SUCCESS) {
      take_all(result, endings);
    } else {
      Span span;
      Batch batch = take(ticket, span);
      last_watched_ = span.end;
      submit_waiting(lock, endings);
      lock.unlock();
      land(std::move(batch), span);
      lock = lock_soon(mutex_);
    }
  }
}

// Waking the thread for a submission would cost as much as a small kernel, so as long as calls keep coming that nobody
// attends to it does not sleep: where waits poll, it looks out for the next submission without touching the driver,
// whose locks the submitter needs; elsewhere it waits for the end of a submission that is still to come.
void Lane::idle(Lock& lock) {
  // A submission that is being made may have ended before its submitter has said so: that wakes the thread then.
  if (!attended_last_ && batches_.empty() && !submitting_) {
    const uint64_t next = submitted_.load(std::memory_order_relaxed) + 1;
    if (const auto polling = tickets_.polling_time(); polling.count() != 0) {
      lock.unlock();
      const Clock::time_point end = Clock::now() + polling;
      while (submitted_.load(std::memory_order_acquire) < next && Clock::now() < end) {
      }
      lock.lock();
    } else if (tickets_.can_wait_ahead() && Clock::now() - last_watched_ < kAttentive) {
      lock.unlock();
      const VkResult result = tickets_.wait(next, kAhead);
      lock.lock();
      if (result == VK_SUCCESS || result == VK_TIMEOUT) return;
    }
  }
  asleep_ = true;
  wake_.wait(lock, [this] { return (stopping_ && batches_.empty() && !submitting_) || unattended() != nullptr; });
  asleep_ = false;
}

// Jobs that have not been submitted are gone; the others stay with their batch.
void Lane::take_overdue(std::vector<Ending>& over) {
  for (Batch& batch : batches_) {
    if (batch.attended) continue;  // for microseconds only, or its escort looks at its time
    for (const auto& flight : batch.flights) {
      if (flight->completion == nullptr) continue;
      Status status = check_time(flight->terms);
      if (status) continue;
      over.push_back({std::exchange(flight->completion, nullptr), std::move(status).error()});
      ++abandoned_;
    }
  }
  std::erase_if(waiting_, [&](const auto& flight) {
    const Status status = check_time(flight->terms);
    if (status) return false;
    over.push_back({flight->completion, status.error()});
    return true;
  });
  note_load();
}

// After an error nothing runs any more.
void Lane::take_all(VkResult result, std::vector<Ending>& endings) {
  lost_ = lost_ || result == VK_ERROR_DEVICE_LOST;
  const Error error = failure("vkWaitForFences", result).value();
  const auto take = [&](const Flights& flights) {
    for (const auto& flight : flights)
      if (flight->completion != nullptr) endings.push_back({flight->completion, error});
  };
  std::erase_if(batches_, [&](const Batch& batch) {
    if (batch.attended) return false;  // whoever attends to it will find out too, and leave it to this thread
    take(batch.flights);
    return true;
  });
  take(waiting_);
  waiting_.clear();
  note_load();
  abandoned_ = 0;
}

void Lane::land(Batch batch, Span span) {
  const bool alone = batch.flights.size() == 1;
  for (auto& flight : batch.flights) {
    if (flight->completion == nullptr) {
      flight.reset();  // before the count says that it is over
      const Lock lock = lock_soon(mutex_);
      --abandoned_;
    } else {
      flight->note_time(span.end - span.begin, alone);
      land(std::move(flight), span);
    }
  }
}

// `span`: the device's, for the whole batch.
void Lane::land(std::unique_ptr<Flight> flight, Span span) {
  if (flight->failure) return flight->end(fail(std::move(*flight->failure)));
  if (!flight->cursor.done()) return go_on(std::move(flight));
  flight->times.execute = span.end - flight->started;
  flight->read_pieces(copier_);
  flight->slot->readback(flight->steps, copier_);
  flight->times.readback = Clock::now() - span.end;
  Completion& completion = *flight->completion;
  const RunTimes times = flight->times;
  flight.reset();  // the next call finds the slot free
  completion.ended(times);
}

// The next slice waits behind the calls that have come meanwhile.
void Lane::go_on(std::unique_ptr<Flight> flight) {
  Status status = check_time(flight->terms);
  if (status) status = flight->record();
  if (!status) return flight->end(fail(std::move(status).error()));
  const Lock lock = lock_soon(mutex_);
  waiting_.push_back(std::move(flight));
  note_load();
}

}  // namespace kem::vulkan
