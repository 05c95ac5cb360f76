// A VkQueue, what was submitted to it and has not ended, and the thread that waits for it.
//
// A call is submitted by the thread that makes it, so that nothing has to be woken up for it. If the call is patient
// and likely to be over soon, that thread attends to it too: it waits for the end and lands it, and the lane's own
// thread never hears of it. Calls that come while enough is in flight wait together and go out in one vkQueueSubmit, as
// soon as something has ended; so do those that come while another thread is within vkQueueSubmit, which takes longer
// than all else here: nobody waits for it but who is in it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "vulkan/batch_commands.h"
#include "vulkan/context.h"
#include "vulkan/copy_queues.h"
#include "vulkan/flight.h"
#include "vulkan/tickets.h"

namespace kem::vulkan {

// Thread-safe.
class Lane {
 public:
  // At most so many jobs that nobody waits for any more may be running before others are refused.
  static constexpr size_t kMostAbandoned = 64;

  // The copier and the copy queues, if any (else null), outlive the lane. `queue_thread`: if the driver runs the
  // queue's commands on a thread of its own.
  Lane(VkQueue queue, Tickets tickets, BatchCommands together, Copier& copier, CopyQueues* copies,
       std::optional<Shadow> queue_thread);
  ~Lane() { stop(std::chrono::nanoseconds(0)); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Submits a recorded flight, or leaves it to the next batch. After an error the flight is still the caller's and its
  // completion was not told; otherwise the completion will be told on the lane's thread, or was told here
  // (Terms::patience, Terms::escort). Busy if too many abandoned jobs run.
  Status start(std::unique_ptr<Flight>& flight);

  // Whether submit() and patient starts move the driver's queue thread to the caller's core.
  bool queue_runs_beside_submitter() const { return queue_thread_.has_value(); }

  // Submits commands past everything that waits; the fence, which may be null, is the caller's.
  Status submit(const Context& context, VkCommandBuffer commands, VkFence fence);
  // Waits until the queue has nothing to do.
  void drain(const Context& context);

  // Waits at most so long for what is in flight, then ends the thread. False if the device still runs something.
  // Nothing may be started afterwards.
  bool stop(std::chrono::nanoseconds patience);

  // Whether the driver has said VK_ERROR_DEVICE_LOST.
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  // Submissions in flight and jobs that wait for the next one; may be behind the times.
  size_t load() const { return load_.load(std::memory_order_relaxed); }
  // Jobs whose completion was told although the device still runs them.
  size_t abandoned() const;

 private:
  // Submissions in flight before further calls wait for the next batch: one that runs and one that the driver has
  // ready for it.
  static constexpr size_t kDeepest = BatchCommands::kMostInFlight;

  using Clock = Flight::Clock;
  using Flights = std::vector<std::unique_ptr<Flight>>;
  using Lock = std::unique_lock<std::mutex>;
  // Flights of one submission.
  struct Batch {
    uint64_t ticket;
    Flights flights;
    Clock::time_point submitted;
    bool attended;        // its submitter waits for it
    uint64_t copied = 0;  // the last ticket of the copy queue that belongs to it; 0: none

    // For microseconds only: what comes meanwhile may wait for that.
    bool briefly_attended() const { return attended && flights.front()->slot->readback_pieces().empty(); }
  };
  // When the device was at work on a batch, or may have been.
  struct Span {
    Clock::time_point begin, end;
  };
  // What is told when the mutex is released.
  struct Ending {
    Completion* completion;
    Error error;
  };
  static void tell(std::vector<Ending>& endings);

  static bool worth_attending(const Flight& flight);
  VkResult wait_for_piece(uint64_t ticket, std::chrono::nanoseconds time);
  void attend(uint64_t ticket, Flight& flight);
  void leave(uint64_t ticket);
  VkResult wait_for(uint64_t ticket, Flight& flight);
  VkResult escort(Flight& flight);
  // These with the mutex held, which they let go of while the driver submits:
  Result<uint64_t> submit_batch(Lock& lock, Flights& flights, bool attended);  // takes them unless it fails
  void submit_all_waiting(Lock& lock, std::vector<Ending>& failed);
  void submit_waiting(Lock& lock, std::vector<Ending>& failed) {
    if (!waiting_.empty()) submit_all_waiting(lock, failed);
  }
  // These with the queue's:
  Result<uint64_t> submit_now(const Flights& flights, bool attended, uint64_t& copied);
  std::span<const VkCommandBuffer> commands_of(const Flights& flights);
  void submit_pieces(Flight& flight, uint64_t& copied);
  static Tickets::Point uploads_of(const Flights& flights);
  // These with the mutex held:
  bool takes_another() const { return !submitting_ && batches_.size() < kDeepest; }
  void note_load() { load_.store(batches_.size() + waiting_.size(), std::memory_order_relaxed); }
  Batch* unattended();  // the oldest; null: there is none
  Batch take(uint64_t ticket, Span& span);
  void wake();  // if the thread sleeps although it has something to do
  void idle(Lock& lock);
  void take_overdue(std::vector<Ending>& over);
  void take_all(VkResult result, std::vector<Ending>& endings);
  // These without:
  void watch();
  void land(Batch batch, Span span);
  void land(std::unique_ptr<Flight> flight, Span span);
  void go_on(std::unique_ptr<Flight> flight);

  Copier& copier_;
  CopyQueues* const copies_;  // null: this queue copies

  // The queue is one thread's at a time; mutex_ is never held where this is taken.
  std::mutex queue_mutex_;
  VkQueue queue_;
  Tickets tickets_;  // waits need no mutex
  BatchCommands together_;
  std::optional<Shadow> queue_thread_;
  std::vector<VkCommandBuffer> commands_;  // scratch of commands_of
  std::vector<const Flight*> joining_;     // the same
  std::vector<VkCommandBuffer> pieces_;    // of submit_pieces

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable emptied_;
  std::deque<Batch> batches_;  // in flight, in the order of their submission
  Flights waiting_;            // for the next batch
  bool submitting_ = false;    // some thread is within submit_batch
  size_t abandoned_ = 0;
  bool stopping_ = false;
  bool given_up_ = false;               // stop() has waited long enough
  bool asleep_ = false;                 // the thread must be woken
  bool attended_last_ = false;          // the last submission
  std::atomic<uint64_t> submitted_{0};  // the last batch's ticket, for a thread that looks without the lock
  std::atomic<bool> lost_{false};
  std::atomic<size_t> load_{0};
  Clock::time_point last_end_;      // of a batch
  Clock::time_point last_watched_;  // end of one that the thread waited for; that thread only
  std::thread thread_;
};

}  // namespace kem::vulkan
