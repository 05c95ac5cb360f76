#include "core/engine.h"

#include <algorithm>
#include <future>

#include "base/lock_soon.h"
#include "core/guard.h"

namespace kem::core {
namespace {

constexpr size_t kMostReady = 256;
// Fetches wait for the network, compiles for a core.
constexpr size_t kFetchers = 8;
constexpr std::chrono::milliseconds kLongestJob = std::chrono::hours(24);
constexpr std::chrono::seconds kFirstCare{1}, kLongestCare{64};
// A tool's thread has nothing else to do.
constexpr std::chrono::milliseconds kToolPatience{1};

// They copy what goes to the device, so more than a few find no more memory bandwidth.
size_t executor_threads() { return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 4); }
size_t compiler_threads() { return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 4); }

class Completion final : public Client {
 public:
  explicit Completion(std::promise<Result<Report>> promise) : promise_(std::move(promise)) {}
  std::span<uint8_t> allocate_output(size_t) override { return {}; }
  void done(Result<Report> result) noexcept override { promise_.set_value(std::move(result)); }

 private:
  std::promise<Result<Report>> promise_;
};

}  // namespace

void StageTimes::add(const StageTimes& other) {
  queue += other.queue;
  fetch += other.fetch;
  front_end += other.front_end;
  spirv += other.spirv;
  pipeline += other.pipeline;
  upload += other.upload;
  execute += other.execute;
  readback += other.readback;
}

std::unique_ptr<Engine> make_engine(Config config, Parts parts) {
  return std::make_unique<EngineImpl>(std::move(config), std::move(parts));
}

EngineImpl::EngineImpl(Config config, Parts parts)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      devices_(parts_.select_devices),
      residents_(std::make_shared<ResidentPool>(config_.limits.resident_bytes,
                                                [this] { reaper_.post([this] { residents_->free_dropped(); }); })),
      kernels_(kMostReady, devices_),
      fetchers_(kFetchers, config_.limits.queue_length),
      compilers_(compiler_threads(), config_.limits.queue_length),
      warmer_(1, 1),
      reaper_(1, 1) {}

EngineImpl::~EngineImpl() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    for (auto& [key, preparation] : preparations_) preparation->abandoned = true;
    for (auto& [id, task] : tasks_) task->cancelled = true;
  }
  executor_wake_.notify_all();
  housekeeper_wake_.notify_all();
  for (std::thread& executor : executors_) executor.join();
  fetchers_.stop();
  compilers_.stop();
  warmer_.stop();
  // The housekeeper stays until the last task is ended, so it goes last.
  if (housekeeper_.joinable()) housekeeper_.join();
  link_->cut();
  reaper_.stop();
  residents_->close();
}

Result<JobId> EngineImpl::submit(Job job, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) {
  return run_guarded([&]() -> Result<JobId> {
    const std::chrono::milliseconds time_limit = job.time_limit;
    auto task = make_task();
    task->traffic = traffic_of(job, config_.limits);
    task->spot.pin = job.device;
    task->work = std::move(job);
    task->client = std::move(client);
    return enqueue(std::move(task), time_limit, patience);
  });
}

Result<JobId> EngineImpl::submit(Chain chain, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) {
  return run_guarded([&]() -> Result<JobId> {
    const std::chrono::milliseconds time_limit = chain.time_limit;
    auto task = make_task();
    KEM_TRY(task->held, buffers_of(chain, *residents_));
    KEM_TRY(task->spot.pin, device_of_buffers(task->held, chain.device));
    KEM_CHECK(check_chain(chain, config_.limits));
    task->traffic = traffic_of(chain, config_.limits);
    task->work = std::make_unique<ChainWork>(std::move(chain));
    task->client = std::move(client);
    return enqueue(std::move(task), time_limit, patience);
  });
}

Result<JobId> EngineImpl::enqueue(std::unique_ptr<Task> owned, std::chrono::milliseconds time_limit,
                                  std::chrono::nanoseconds patience) {
  if (time_limit <= std::chrono::milliseconds::zero()) time_limit = config_.limits.job_time;
  Task& task = *owned;
  task.submitted = Clock::now();
  task.deadline = task.submitted + std::min(time_limit, kLongestJob);
  const std::string key = at_once_key(task.work);
  Lock lock = lock_soon(mutex_);
  if (stopping_) return fail(ErrorClass::Cancelled, "the engine is shutting down");
  KEM_CHECK(admit(task));
  start_threads();
  const JobId id = task.id = next_id_++;
  tasks_.emplace(id, std::move(owned));
  in_flight_bytes_ += task.traffic.sum();
  if (!task.held.empty()) join_lines(task);
  if (devices_.want_care()) care_for_devices(task.submitted);
  if (can_start(task, key)) {
    task.state = Task::State::Active;
    lock.unlock();
    start_at_once(task, patience);
    return id;
  }
  watch(task.deadline);
  queue_.push_back(id);
  lock.unlock();
  executor_wake_.notify_one();
  return id;
}

Status EngineImpl::admit(const Task& task) const {
  if (tasks_.size() >= config_.limits.queue_length) {
    return fail(ErrorClass::Busy, std::to_string(tasks_.size()) + " jobs wait or run already: try again later");
  }
  return admit(task.traffic);
}

Status EngineImpl::admit(const Traffic& more) const {
  const uint64_t limit = config_.limits.in_flight_bytes;
  const uint64_t bytes = more.sum();
  if (bytes <= limit && in_flight_bytes_ <= limit - bytes) return {};
  if (bytes <= limit) {
    return fail(ErrorClass::Busy, std::to_string(in_flight_bytes_) + " bytes are in flight already: try again later");
  }
  const bool input = more.input > limit;
  return fail(input ? ErrorClass::InputTooLarge : ErrorClass::OutputTooLarge,
              "the job has " + std::to_string(more.input) + " bytes of input and " + std::to_string(more.output) +
                  " of output, but at most " + std::to_string(limit) + " may be in flight");
}

void EngineImpl::start_threads() {
  if (!executors_.empty()) return;
  if (!housekeeper_.joinable()) housekeeper_ = std::thread([this] { keep_house(); });
  for (size_t i = 0; i < executor_threads(); ++i) executors_.emplace_back([this] { execute_jobs(); });
}

void EngineImpl::cancel(JobId id) {
  const Lock lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return;
  Task& task = *found->second;
  task.cancelled = true;
  if (task.state == Task::State::Waiting) end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
}

void EngineImpl::warm_up() {
  {
    const Lock lock(mutex_);
    if (stopping_ || std::exchange(warming_, true)) return;
  }
  devices_.start();
  warmer_.post([this] {
    run_guarded([this] {
      parts_.compiler->warm_up();
      return Status();
    });
  });
}

Result<Report> EngineImpl::execute(const BindingJob& job) {
  std::promise<Result<Report>> promise;
  auto future = promise.get_future();
  const auto submitted = run_guarded([&]() -> Result<JobId> {
    auto task = make_task();
    for (const BindingArgument& binding : job.bindings) task->traffic.input += binding.bytes.size();
    task->work = &job;
    task->client = std::make_unique<Completion>(std::move(promise));
    return enqueue(std::move(task), job.time_limit, kToolPatience);
  });
  if (!submitted) return fail(submitted.error());
  return future.get();
}

// What tells of one device tells of the first, unless it cannot be opened.
Result<Devices::Reference> EngineImpl::first_device() {
  auto first = devices_.wait(0);
  return first ? first : devices_.wait();
}

wgsl::Options EngineImpl::wgsl_options() {
  if (const auto device = first_device()) return options_for(**device);
  return {config_.limits, {}, config_.language_extensions};
}

Result<vulkan::DeviceInfo> EngineImpl::adapter() {
  warm_up();
  KEM_TRY(const auto device, first_device());
  return device->device->info();
}

bool EngineImpl::wait_for_devices(std::chrono::nanoseconds at_most) {
  warm_up();
  return devices_.wait_for_all(at_most);
}

Result<arweave::Kernel> EngineImpl::fetch(const std::string& txid) { return parts_.fetcher->fetch(txid); }

Result<std::chrono::nanoseconds> EngineImpl::measure_empty_submit(int rounds) {
  KEM_TRY(const auto device, first_device());
  return device->device->measure_empty_submit(rounds);
}

Stats EngineImpl::stats() const {
  Stats stats;
  std::vector<Devices::State> devices = devices_.states();
  const Lock lock(mutex_);
  for (Devices::State& state : devices) {
    DeviceStats& device = stats.devices.emplace_back();
    device.info = std::move(state.info);
    device.open = state.device != nullptr;
    device.jobs_in_flight = state.load->jobs;
    device.in_flight_bytes = state.load->bytes;
    device.jobs_done = state.load->done;
    device.losses = state.losses;
    if (!state.device) continue;
    device.resident_bytes = state.device->resident_bytes;
    stats.validation_messages += state.device->device->validation_messages();
    stats.device_memory += state.device->device->memory();
  }
  stats.jobs_done = jobs_done_;
  stats.jobs_failed = jobs_failed_;
  stats.queued = tasks_.size();
  stats.in_flight_bytes = in_flight_bytes_;
  stats.resident_bytes = residents_->bytes();
  stats.cached_programs = parts_.compiler->cached_programs();
  stats.cached_pipelines = kernels_.size();
  return stats;
}

// Devices that nobody waits for, as others stand in for them: opened anew at once after a loss, then again after
// longer and longer pauses.
void EngineImpl::care_for_devices(Clock::time_point now) {
  if (now < next_care_) return;
  care_pause_ = next_care_ == Clock::time_point() ? kFirstCare : std::min(2 * care_pause_, kLongestCare);
  next_care_ = now + care_pause_;
  warmer_.post([this] { devices_.start(); });
}

// An executor: what is too large to be started by its submitter, or not ready yet.
void EngineImpl::execute_jobs() {
  while (true) {
    Task* task = nullptr;
    {
      Lock lock(mutex_);
      executor_wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      task = tasks_.at(queue_.front()).get();
      queue_.pop_front();
      task->state = Task::State::Active;
    }
    guard(*task, [&] { step(*task); });
  }
}

// The housekeeper ends what waits: at its deadline, when it is cancelled, at shutdown.
void EngineImpl::keep_house() {
  Lock lock(mutex_);
  while (true) {
    const Clock::time_point now = Clock::now();
    std::vector<Task*> over;
    for (auto& [id, task] : tasks_) {
      if (task->state == Task::State::Waiting && (stopping_ || task->deadline <= now)) over.push_back(task.get());
    }
    for (Task* task : over) {
      end_waiting(*task, stopping_ ? Error{ErrorClass::Cancelled, "the engine is shutting down"}
                                   : Error{ErrorClass::Timeout, "the job's time limit is over"});
    }
    if (auto ending = std::exchange(ending_, {}); !ending.empty()) {
      jobs_failed_ += ending.size();
      lock.unlock();
      for (auto& [task, error] : ending) task->client->done(fail(std::move(error)));
      ending.clear();
      lock.lock();
      continue;
    }
    if (stopping_ && tasks_.empty() && finishing_ == 0) return;
    // What is watched already is no later than any deadline (see watch()).
    if (watched_ <= now) watched_ = next_deadline();
    if (watched_ == Clock::time_point::max()) {
      housekeeper_wake_.wait(lock);
    } else {
      housekeeper_wake_.wait_until(lock, watched_);
    }
  }
}

Clock::time_point EngineImpl::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const auto& [id, task] : tasks_) {
    if (task->state == Task::State::Waiting) next = std::min(next, task->deadline);
  }
  return next;
}

// A deadline that comes after the housekeeper's next look needs no wake: it is seen then. So the warm path wakes
// it once per time limit, not once per job.
void EngineImpl::watch(Clock::time_point deadline) {
  if (deadline >= watched_) return;
  watched_ = deadline;
  housekeeper_wake_.notify_one();
}

void EngineImpl::end_waiting(Task& task, Error error) {
  leave_queues(task);
  ending_.emplace_back(take(task.id), std::move(error));
  housekeeper_wake_.notify_one();
}

// The end of an active task whose thread may not tell it.
void EngineImpl::end_later(Task& task, Error error) {
  const Lock lock(mutex_);
  task.state = Task::State::Waiting;
  end_waiting(task, std::move(error));
}

void EngineImpl::leave_queues(Task& task) {
  std::erase(queue_, task.id);
  leave_preparations(task);
}

void EngineImpl::leave_preparations(Task& task) {
  for (const auto& preparation : std::exchange(task.preparations, {})) {
    std::erase(preparation->waiters, task.id);
    if (!preparation->waiters.empty() || preparation->for_others) continue;
    preparation->abandoned = true;
    preparations_.erase(preparation->name);
  }
}

std::unique_ptr<Task> EngineImpl::take(JobId id) {
  auto node = tasks_.extract(id);
  if (node.empty()) return nullptr;
  Task& task = *node.mapped();
  in_flight_bytes_ -= task.traffic.sum();
  kernels_.leave(task.spot, task.traffic.sum());
  if (!task.held.empty()) leave_lines(task);
  return std::move(node.mapped());
}

void EngineImpl::finish(Task& task, Result<Report> result) {
  std::unique_ptr<Task> owned;
  {
    const Lock lock = lock_soon(mutex_);
    if (task.spot.load != nullptr) task.spot.load->done += result.has_value();
    owned = take(task.id);
    ++(result ? jobs_done_ : jobs_failed_);
    ++finishing_;
  }
  owned->client->done(std::move(result));
  owned.reset();
  const Lock lock = lock_soon(mutex_);
  --finishing_;
  if (stopping_) housekeeper_wake_.notify_one();
}

// Ends an active task with what `work` threw, if it still is this thread's.
void EngineImpl::guard(Task& task, const std::function<void()>& work) {
  const JobId id = task.id;
  Status status = run_guarded([&]() -> Status {
    work();
    return {};
  });
  if (status) return;
  Task* failed = nullptr;
  {
    const Lock lock(mutex_);
    const auto found = tasks_.find(id);
    if (found != tasks_.end() && found->second->state == Task::State::Active) failed = found->second.get();
  }
  if (failed != nullptr) finish(*failed, fail(std::move(status).error()));
}

// False if the task was cancelled or its time is over; it has been finished then.
bool EngineImpl::alive(Task& task) {
  if (task.cancelled) {
    finish(task, fail(ErrorClass::Cancelled, "the job was cancelled"));
    return false;
  }
  if (Clock::now() >= task.deadline) {
    finish(task, fail(ErrorClass::Timeout, "the job's time limit is over"));
    return false;
  }
  return true;
}

// Takes a task back from waiting; nullptr if it has ended meanwhile.
Task* EngineImpl::activate(JobId id) {
  const Lock lock(mutex_);
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return nullptr;
  found->second->state = Task::State::Active;
  return found->second.get();
}

void EngineImpl::requeue(Task& task) {
  {
    const Lock lock(mutex_);
    task.state = Task::State::Waiting;
    if (stopping_ || task.cancelled) {
      end_waiting(task, Error{ErrorClass::Cancelled, "the job was cancelled"});
      return;
    }
    watch(task.deadline);
    queue_.push_back(task.id);
  }
  executor_wake_.notify_one();
}

}  // namespace kem::core
